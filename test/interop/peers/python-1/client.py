"""Plays the steps of the matrix with the Python SDK 1.x and prints what it saw, one JSON line for each."""

import asyncio
import json
import uuid

import grpc
import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.types import a2a_pb2 as pb
from common import arguments, from_part, load_parts, state_of, text_of, to_part

options = arguments('card', 'binding', 'version', 'parts')
samples = load_parts(options.parts)


def out(step, **line):
    print(json.dumps({'step': step, **line}), flush=True)


def request(text, parts=(), now=False, **ids):
    message = pb.Message(
        message_id=str(uuid.uuid4()), role=pb.Role.ROLE_USER, parts=[pb.Part(text=text), *parts], **ids
    )
    return pb.SendMessageRequest(
        message=message, configuration=pb.SendMessageConfiguration(return_immediately=now)
    )


def answer(event):
    if event.HasField('message'):
        return {'kind': 'message', 'role': pb.Role.Name(event.message.role), 'text': text_of(event.message.parts)}
    return task_seen(event.task)


def task_seen(task):
    return {
        'kind': 'task',
        'state': state_of(task.status),
        'text': ''.join(text_of(artifact.parts) for artifact in task.artifacts),
        'said': text_of(task.status.message.parts),
    }


class Reading:
    """What a stream showed so far."""

    def __init__(self):
        self.events, self.states, self.text, self.task = [], [], '', None

    def take(self, event):
        kind = event.WhichOneof('payload')
        self.events.append(kind)
        if kind == 'task':
            self.task = event.task.id
            self.states.append(state_of(event.task.status))
            self.text = ''.join(text_of(artifact.parts) for artifact in event.task.artifacts)
        elif kind == 'status_update':
            self.task = event.status_update.task_id
            self.states.append(state_of(event.status_update.status))
        elif kind == 'artifact_update':
            self.task = event.artifact_update.task_id
            self.text += text_of(event.artifact_update.artifact.parts)
        elif kind == 'message':
            self.text += text_of(event.message.parts)


async def step(name, work):
    try:
        saw = await asyncio.wait_for(work(), 20)
        out(name, saw=saw)
        return saw
    except NotImplementedError as error:
        out(name, skipped=f'the SDK has no such call: {error}')
    except Exception as error:
        out(name, error={'name': type(error).__name__, 'text': str(error)[:400], 'data': repr(getattr(error, 'data', None))[:200]})


async def main():
    async with httpx.AsyncClient(timeout=15, headers={'A2A-Version': options.version}) as http:
        card = await A2ACardResolver(http, options.card).get_agent_card()
        wanted = [
            face
            for face in card.supported_interfaces
            if face.protocol_binding == options.binding and face.protocol_version.startswith(options.version)
        ]
        out('card', saw={'name': card.name, 'version': card.version, 'streaming': card.capabilities.streaming,
                         'interfaces': len(wanted)})
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(wanted)
        config = {
            'httpx_client': http,
            'grpc_channel_factory': grpc.aio.insecure_channel,
            'supported_protocol_bindings': [options.binding],
        }
        plain = ClientFactory(ClientConfig(streaming=False, **config)).create(card)
        streaming = ClientFactory(ClientConfig(streaming=True, **config)).create(card)
        await play(plain, streaming)
        await plain.close()
        await streaming.close()


async def play(plain, streaming):
    async def send(*args, **more):
        return [event async for event in plain.send_message(request(*args, **more))][0]

    known = {}

    async def do_send():
        event = await send('echo hällo 👋')
        known['done'] = event.task.id
        return answer(event)

    async def do_now():
        event = await send('slow', now=True)
        known['slow'] = event.task.id
        return answer(event)

    async def do_ask():
        event = await send('ask')
        known['asked'], known['context'] = event.task.id, event.task.context_id
        return answer(event)

    async def do_reply():
        event = await send('green', task_id=known['asked'], context_id=known['context'])
        return {**answer(event), 'sameTask': event.task.id == known['asked']}

    async def do_history():
        whole = await plain.get_task(pb.GetTaskRequest(id=known['asked']))
        last = await plain.get_task(pb.GetTaskRequest(id=known['asked'], history_length=1))
        return {'texts': [text_of(message.parts) for message in whole.history], 'limited': len(last.history)}

    async def do_list():
        page = await plain.list_tasks(pb.ListTasksRequest(context_id=known['context']))
        return {'found': any(task.id == known['asked'] for task in page.tasks), 'total': page.total_size}

    async def do_stream():
        reading = Reading()
        async for event in streaming.send_message(request('chunks')):
            reading.take(event)
        return {'first': reading.events[0], 'states': reading.states, 'text': reading.text,
                'chunks': reading.events.count('artifact_update')}

    async def do_subscribe():
        reading = Reading()
        stream = streaming.send_message(request('count 12'))
        async for event in stream:
            reading.take(event)
            if reading.events.count('artifact_update') >= 2:
                break
        await stream.aclose()
        again = Reading()
        async for event in streaming.subscribe(pb.SubscribeToTaskRequest(id=reading.task)):
            again.take(event)
        final = await plain.get_task(pb.GetTaskRequest(id=reading.task))
        return {'first': again.events[0], 'state': again.states[-1], 'text': again.text, 'final': task_seen(final)['text']}

    async def parts_of(*args, **more):
        event = await send(*args, **more)
        return {'parts': [from_part(part) for artifact in event.task.artifacts for part in artifact.parts]}

    async def do_subscribe_to(task_id):
        return {'events': [event.WhichOneof('payload') async for event in streaming.subscribe(pb.SubscribeToTaskRequest(id=task_id))]}

    async def do_invalid():
        bad = request('x')
        del bad.message.parts[:]
        return answer([event async for event in plain.send_message(bad)][0])

    async def do_version():
        context = ClientCallContext(service_parameters={'A2A-Version': '9.9'})
        return task_seen(await plain.get_task(pb.GetTaskRequest(id=known['done']), context=context))

    async def do_card():
        known_card = plain._card
        if await plain.get_extended_agent_card(pb.GetExtendedAgentCardRequest()) is known_card:
            raise NotImplementedError('the card says that there is none, so the SDK does not ask')
        return {'got': 'AgentCard'}

    get = lambda id: plain.get_task(pb.GetTaskRequest(id=id))
    cancel = lambda id: plain.cancel_task(pb.CancelTaskRequest(id=id))

    async def seen(work):
        return task_seen(await work)

    push = pb.TaskPushNotificationConfig(id='p', url='https://example.com/hook')

    await step('send', do_send)
    await step('send-now', do_now)
    await step('cancel', lambda: seen(cancel(known['slow'])))
    await step('message', lambda: seen_answer(send('message hi')))
    await step('stream', do_stream)
    await step('ask', do_ask)
    await step('reply', do_reply)
    await step('history', do_history)
    await step('list', do_list)
    await step('subscribe', do_subscribe)
    await step('parts', lambda: parts_of('parts'))
    await step('value', lambda: parts_of('value'))
    await step('mirror', lambda: parts_of('mirror', [to_part(part) for part in samples['parts']]))
    await step('size', lambda: seen_answer(send('size', [to_part(samples['parts'][1])])))
    await step('fail', lambda: seen_answer(send('fail')))
    await step('reject', lambda: seen_answer(send('reject')))
    await step('error-get-unknown', lambda: seen(get('no-such-task')))
    await step('error-cancel-unknown', lambda: seen(cancel('no-such-task')))
    await step('error-cancel-done', lambda: seen(cancel(known['done'])))
    await step('error-send-done', lambda: seen_answer(send('echo more', task_id=known['done'])))
    await step('error-send-unknown', lambda: seen_answer(send('echo more', task_id='no-such-task')))
    await step('error-subscribe-unknown', lambda: do_subscribe_to('no-such-task'))
    await step('error-subscribe-done', lambda: do_subscribe_to(known['done']))
    push.task_id = known['done']
    await step('error-push', lambda: named(plain.create_task_push_notification_config(push)))
    await step('error-card', do_card)
    await step('error-invalid', do_invalid)
    if options.version == '1.0':
        await step('error-version', do_version)


async def seen_answer(work):
    return answer(await work)


async def named(work):
    return {'got': type(await work).__name__}


asyncio.run(main())
