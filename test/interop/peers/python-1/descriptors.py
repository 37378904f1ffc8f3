"""Writes the descriptors that the package holds of one version of the protocol, with all that they import."""

import sys

from a2a.compat.v0_3 import a2a_v0_3_pb2
from a2a.types import a2a_pb2
from google.protobuf import descriptor_pb2

version, path = sys.argv[1:]
files = descriptor_pb2.FileDescriptorSet()
known = set()


def add(file):
    if file.name in known:
        return
    known.add(file.name)
    for imported in file.dependencies:
        add(imported)
    file.CopyToProto(files.file.add())


add((a2a_pb2 if version == '1.0' else a2a_v0_3_pb2).DESCRIPTOR)
with open(path, 'wb') as out:
    out.write(files.SerializeToString())
