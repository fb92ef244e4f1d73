import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { createRequire } from 'node:module'
import type EmptyModule from 'google-protobuf/google/protobuf/empty_pb.js'

/** The client package brings a protobuf library of its own; its messages only fit into messages of that one. */
const requireAsClient = createRequire(
  createRequire(import.meta.url).resolve('@eventstore/db-client'),
)
export const { Empty } = requireAsClient(
  'google-protobuf/google/protobuf/empty_pb.js',
) as typeof EmptyModule

export const { StreamsClient, StreamsService } = streamsService
