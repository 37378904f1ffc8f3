"""Plays the steps of the matrix with the Python SDK 0.3 and prints what it saw, one JSON line for each."""

import asyncio
import json
import uuid

import grpc
import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    Message,
    MessageSendConfiguration,
    Part,
    PushNotificationConfig,
    Role,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)
from common import arguments, from_part, load_parts, text_of, to_part

options = arguments('card', 'binding', 'version', 'parts')
samples = load_parts(options.parts)


def out(step, **line):
    print(json.dumps({'step': step, **line}), flush=True)


def said(text, parts=(), **ids):
    return Message(
        message_id=str(uuid.uuid4()), role=Role.user, parts=[Part(root=TextPart(text=text)), *parts], **ids
    )


def answer(event):
    if isinstance(event, Message):
        return {'kind': 'message', 'role': event.role.value, 'text': text_of(event.parts)}
    return task_seen(event[0])


def task_seen(task):
    return {
        'kind': 'task',
        'state': task.status.state.value,
        'text': ''.join(text_of(artifact.parts) for artifact in task.artifacts or []),
        'said': text_of(task.status.message.parts) if task.status.message else '',
    }


class Reading:
    """What a stream showed so far. The SDK gives the task as it stands after each event."""

    def __init__(self):
        self.kinds, self.states, self.task = [], [], None

    def take(self, event):
        task, update = event
        self.task = task
        self.kinds.append('artifact' if isinstance(update, TaskArtifactUpdateEvent) else 'status' if update else 'task')
        if self.kinds[-1] != 'artifact':
            self.states.append(task.status.state.value)


async def step(name, work):
    try:
        out(name, saw=await asyncio.wait_for(work(), 20))
    except NotImplementedError as error:
        out(name, skipped=f'the SDK has no such call: {error}')
    except Exception as error:
        inner = getattr(error, 'error', None)
        detail = {'code': inner.code, 'text': str(inner.message)} if inner is not None else {'text': str(error)}
        out(name, error={'name': type(error).__name__, **detail})


async def main():
    async with httpx.AsyncClient(timeout=15) as http:
        card = await A2ACardResolver(http, options.card).get_agent_card()
        faces = {card.preferred_transport or 'JSONRPC': card.url}
        faces.update({face.transport: face.url for face in card.additional_interfaces or []})
        out('card', saw={'name': card.name, 'version': card.version, 'streaming': card.capabilities.streaming,
                         'interfaces': int(options.binding in faces)})
        config = {
            'httpx_client': http,
            'grpc_channel_factory': grpc.aio.insecure_channel,
            'supported_transports': [options.binding],
        }
        plain = ClientFactory(ClientConfig(streaming=False, **config)).create(card)
        streaming = ClientFactory(ClientConfig(streaming=True, **config)).create(card)
        await play(plain, streaming, card)
        await plain.close()
        await streaming.close()


async def play(plain, streaming, card):
    async def send(*args, now=False, **more):
        configuration = MessageSendConfiguration(blocking=not now)
        return [event async for event in plain.send_message(said(*args, **more), configuration=configuration)][0]

    known = {}

    async def do_send():
        event = await send('echo hällo 👋')
        known['done'] = event[0].id
        return answer(event)

    async def do_now():
        event = await send('slow', now=True)
        known['slow'] = event[0].id
        return answer(event)

    async def do_ask():
        event = await send('ask')
        known['asked'], known['context'] = event[0].id, event[0].context_id
        return answer(event)

    async def do_reply():
        event = await send('green', task_id=known['asked'], context_id=known['context'])
        return {**answer(event), 'sameTask': event[0].id == known['asked']}

    async def do_history():
        whole = await plain.get_task(TaskQueryParams(id=known['asked']))
        last = await plain.get_task(TaskQueryParams(id=known['asked'], history_length=1))
        return {'texts': [text_of(message.parts) for message in whole.history], 'limited': len(last.history or [])}

    async def do_stream():
        reading = Reading()
        async for event in streaming.send_message(said('chunks')):
            reading.take(event)
        return {'first': reading.kinds[0], 'states': reading.states, 'text': task_seen(reading.task)['text'],
                'chunks': reading.kinds.count('artifact')}

    async def do_subscribe():
        reading = Reading()
        stream = streaming.send_message(said('count 12'))
        async for event in stream:
            reading.take(event)
            if reading.kinds.count('artifact') >= 2:
                break
        await stream.aclose()
        again = Reading()
        async for event in streaming.resubscribe(TaskIdParams(id=reading.task.id)):
            again.take(event)
        final = await plain.get_task(TaskQueryParams(id=reading.task.id))
        return {'first': again.kinds[0], 'state': again.states[-1], 'text': task_seen(again.task)['text'],
                'final': task_seen(final)['text']}

    async def parts_of(*args, **more):
        task, _ = await send(*args, **more)
        return {'parts': [from_part(part) for artifact in task.artifacts for part in artifact.parts]}

    async def subscribe_to(task_id):
        return {'events': len([event async for event in streaming.resubscribe(TaskIdParams(id=task_id))])}

    async def do_invalid():
        bad = said('x')
        bad.parts = []
        return answer([event async for event in plain.send_message(bad)][0])

    async def do_push():
        config = PushNotificationConfig(id='p', url='https://example.com/hook')
        return {'got': repr(await plain.set_task_callback(
            TaskPushNotificationConfig(task_id=known['done'], push_notification_config=config)))}

    async def do_card():
        if not card.supports_authenticated_extended_card:
            raise NotImplementedError('the card says that there is none, so the SDK does not ask')
        return {'got': (await plain.get_card()).name}

    async def seen(work):
        return task_seen(await work)

    async def seen_answer(work):
        return answer(await work)

    get = lambda id: plain.get_task(TaskQueryParams(id=id))
    cancel = lambda id: plain.cancel_task(TaskIdParams(id=id))

    await step('send', do_send)
    await step('send-now', do_now)
    await step('cancel', lambda: seen(cancel(known['slow'])))
    await step('message', lambda: seen_answer(send('message hi')))
    await step('stream', do_stream)
    await step('ask', do_ask)
    await step('reply', do_reply)
    await step('history', do_history)
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
    await step('error-subscribe-unknown', lambda: subscribe_to('no-such-task'))
    await step('error-subscribe-done', lambda: subscribe_to(known['done']))
    await step('error-push', do_push)
    await step('error-card', do_card)
    await step('error-invalid', do_invalid)


asyncio.run(main())
