"""The scripted agent on the Python SDK 1.x: JSON-RPC, HTTP+JSON and gRPC, each at 1.0 and 0.3."""

import asyncio
import json
import sys

import grpc
import uvicorn

from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as pb
from a2a.types import a2a_pb2_grpc
from common import arguments, load_parts, to_part
from starlette.applications import Starlette

options = arguments('port', 'grpc-port', 'parts')
samples = load_parts(options.parts)


class Scripted(AgentExecutor):
    async def execute(self, context, event_queue):
        words = context.message.parts[0].text
        word, _, rest = words.partition(' ')
        if word == 'message':
            await event_queue.enqueue_event(new_text_message(rest, context_id=context.context_id))
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        say = lambda text: updater.new_agent_message([pb.Part(text=text)])
        if task.status.state == pb.TaskState.TASK_STATE_INPUT_REQUIRED:
            await updater.add_artifact([pb.Part(text=f'colour {words}')])
            await updater.complete()
            return
        await updater.start_work()
        if word == 'ask':
            await updater.requires_input(say('which colour?'))
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
                await updater.add_artifact([pb.Part(text=f'{at} ')], artifact_id='count', append=at > 0)
                await asyncio.sleep(0.1)
        elif word == 'chunks':
            for at, chunk in enumerate(['one ', 'two ', 'three']):
                await updater.add_artifact(
                    [pb.Part(text=chunk)], artifact_id='chunks', append=at > 0, last_chunk=at == 2
                )
        elif word in ('parts', 'value'):
            await updater.add_artifact([to_part(part) for part in samples[word]])
        elif word == 'size':
            await updater.add_artifact([pb.Part(text=str(len(context.message.parts[1].raw)))])
        elif word == 'mirror':
            await updater.add_artifact(list(context.message.parts)[1:])
        else:
            await updater.add_artifact([pb.Part(text=rest)])
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    base = f'http://127.0.0.1:{options.port}'
    urls = {'JSONRPC': f'{base}/rpc', 'HTTP+JSON': f'{base}/rest', 'GRPC': f'127.0.0.1:{options.grpc_port}'}
    card = pb.AgentCard(
        name='Interop',
        description='Follows a script',
        version='1.2.3',
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        capabilities=pb.AgentCapabilities(streaming=True, push_notifications=False),
        skills=[pb.AgentSkill(id='script', name='Script', description='Follows a script', tags=['test'])],
        supported_interfaces=[
            pb.AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
            for version in ('1.0', '0.3')
            for binding, url in urls.items()
        ],
    )
    handler = DefaultRequestHandler(agent_executor=Scripted(), task_store=InMemoryTaskStore(), agent_card=card)
    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, '/rpc', enable_v0_3_compat=True),
            *create_rest_routes(handler, enable_v0_3_compat=True, path_prefix='/rest'),
        ]
    )
    over_grpc = grpc.aio.server()
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), over_grpc)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), over_grpc)
    over_grpc.add_insecure_port(urls['GRPC'])
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
