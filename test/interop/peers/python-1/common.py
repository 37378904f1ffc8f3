"""What the server and the client share: the parts file, and parts in the neutral form of the matrix."""

import argparse
import base64
import json

from a2a.types import a2a_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict


def arguments(*names):
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(f'--{name}', required=True)
    return parser.parse_args()


def load_parts(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def to_part(neutral):
    names = {'bytes': 'raw', 'name': 'filename'}
    return ParseDict({names.get(key, key): value for key, value in neutral.items()}, pb.Part())


def from_part(part):
    kind = part.WhichOneof('content')
    if kind == 'text':
        seen = {'text': part.text}
    elif kind == 'raw':
        seen = {'bytes': base64.b64encode(part.raw).decode()}
    elif kind == 'url':
        seen = {'url': part.url}
    else:
        seen = {'data': MessageToDict(part.data)}
    if part.media_type:
        seen['mediaType'] = part.media_type
    if part.filename:
        seen['name'] = part.filename
    return seen


def text_of(parts):
    return ''.join(part.text for part in parts)


def state_of(status):
    return pb.TaskState.Name(status.state).removeprefix('TASK_STATE_').lower().replace('_', '-')
