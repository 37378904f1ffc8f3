"""What the server and the client share: the parts file, and parts in the neutral form of the matrix."""

import argparse
import json

from a2a.types import DataPart, FilePart, FileWithBytes, FileWithUri, Part, TextPart


def arguments(*names):
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(f'--{name}', required=True)
    return parser.parse_args()


def load_parts(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def to_part(neutral):
    about = {'mime_type': neutral.get('mediaType'), 'name': neutral.get('name')}
    if 'text' in neutral:
        return Part(root=TextPart(text=neutral['text']))
    if 'bytes' in neutral:
        return Part(root=FilePart(file=FileWithBytes(bytes=neutral['bytes'], **about)))
    if 'url' in neutral:
        return Part(root=FilePart(file=FileWithUri(uri=neutral['url'], **about)))
    data = neutral['data']
    if isinstance(data, dict):
        return Part(root=DataPart(data=data))
    return Part(root=DataPart(data={'value': data}, metadata={'data_part_compat': True}))


def from_part(part):
    part = part.root
    if part.kind == 'text':
        return {'text': part.text}
    if part.kind == 'data':
        wrapped = (part.metadata or {}).get('data_part_compat')
        return {'data': part.data['value'] if wrapped else part.data}
    file = part.file
    seen = {'bytes': file.bytes} if hasattr(file, 'bytes') else {'url': file.uri}
    if file.mime_type:
        seen['mediaType'] = file.mime_type
    if file.name:
        seen['name'] = file.name
    return seen


def text_of(parts):
    return ''.join(part.root.text for part in parts or [] if part.root.kind == 'text')
