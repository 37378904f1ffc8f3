"""The scripted agent on the Python SDK 0.3: JSON-RPC, HTTP+JSON and gRPC."""

import asyncio
import base64
import json
import sys

import grpc
import uvicorn

from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, TaskState, TextPart
from a2a.utils import new_agent_text_message, new_task
from common import arguments, load_parts, to_part
from starlette.routing import Mount

options = arguments('port', 'grpc-port', 'parts')
samples = load_parts(options.parts)


def text(words):
    return Part(root=TextPart(text=words))


class Scripted(AgentExecutor):
    async def execute(self, context, event_queue):
        words = context.message.parts[0].root.text
        word, _, rest = words.partition(' ')
        if word == 'message':
            await event_queue.enqueue_event(new_agent_text_message(rest, context_id=context.context_id))
            return
        task = context.current_task
        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        say = lambda words: updater.new_agent_message([text(words)])
        if task.status.state == TaskState.input_required:
            await updater.add_artifact([text(f'colour {words}')])
            await updater.complete()
            return
        await updater.start_work()
        if word == 'ask':
            await updater.requires_input(say('which colour?'), final=True)
            return
        if word == 'fail':
            await updater.failed(say('it broke'))
            return
        if word == 'reject':
            await updater.reject(say('not today'))
            return
        if word == 'slow':
            await asyncio.sleep(30)
        elif word == 'count':
            for at in range(int(rest)):
                await updater.add_artifact([text(f'{at} ')], artifact_id='count', append=at > 0)
                await asyncio.sleep(0.1)
        elif word == 'chunks':
            for at, chunk in enumerate(['one ', 'two ', 'three']):
                await updater.add_artifact([text(chunk)], artifact_id='chunks', append=at > 0, last_chunk=at == 2)
        elif word in ('parts', 'value'):
            await updater.add_artifact([to_part(part) for part in samples[word]])
        elif word == 'size':
            await updater.add_artifact([text(str(len(base64.b64decode(context.message.parts[1].root.file.bytes))))])
        elif word == 'mirror':
            await updater.add_artifact(context.message.parts[1:])
        else:
            await updater.add_artifact([text(rest)])
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    base = f'http://127.0.0.1:{options.port}'
    over_grpc_at = f'127.0.0.1:{options.grpc_port}'
    card = AgentCard(
        name='Interop',
        description='Follows a script',
        version='1.2.3',
        url=f'{base}/rpc',
        preferred_transport='JSONRPC',
        additional_interfaces=[
            AgentInterface(url=f'{base}/rest', transport='HTTP+JSON'),
            AgentInterface(url=over_grpc_at, transport='GRPC'),
        ],
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        skills=[AgentSkill(id='script', name='Script', description='Follows a script', tags=['test'])],
    )
    handler = DefaultRequestHandler(agent_executor=Scripted(), task_store=InMemoryTaskStore())
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler).build()
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build(rpc_url='/rpc')
    app.routes.append(Mount('/rest', app=rest))
    over_grpc = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), over_grpc)
    over_grpc.add_insecure_port(over_grpc_at)
    await over_grpc.start()
    over_http = uvicorn.Server(uvicorn.Config(app, host='127.0.0.1', port=int(options.port), log_level='error'))
    serving = asyncio.create_task(over_http.serve())
    while not over_http.started:
        await asyncio.sleep(0.02)
    print(json.dumps({'card': base}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    over_http.should_exit = True
    over_http.force_exit = True
    await over_grpc.stop(0)
    await serving


asyncio.run(main())
