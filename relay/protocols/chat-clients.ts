import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../json.ts'
import { roughPrompt } from '../metering/prompt-bound.ts'
import type { ChatPart } from './chat/chat-part.ts'
import type { ChatRequest } from './chat/chat-request.ts'
import type { PartWriter } from './chat/part-writer.ts'
import { WholeWriter } from './chat/whole-writer.ts'
import { readChat as readMessages } from './claude/read-chat.ts'
import { EventWriter, writeMessage } from './claude/write-parts.ts'
import { readChat as readContents } from './gemini/read-chat.ts'
import { FrameWriter, writeAnswer } from './gemini/write-parts.ts'
import type { ClientProtocolName, Endpoint, ModelRequest } from './model-request.ts'
import { readChat } from './openai/read-chat.ts'
import { ChunkWriter, writeCompletion } from './openai/write-parts.ts'
import { readChat as readResponses } from './responses/read-chat.ts'
import { ResponseWriter, writeResponse } from './responses/write-parts.ts'

/** How a client protocol says chats, for channels that speak another: requests are read, answers written. */
export interface ChatClient {
  /** A body in no protocol's words; throws an Untranslatable for contents that no other protocol has. */
  readChat(body: JsonObject): ChatRequest
  /** Writes the stream that answers a request. `created` in unix seconds. */
  writer(request: ModelRequest, created: number): PartWriter
  /** A whole answer to a request to `endpoint`; `usage` is null where upstream reported none. */
  write(
    parts: readonly ChatPart[],
    usage: Usage | null,
    created: number,
    endpoint: Endpoint,
  ): JsonObject
}

const CHAT_CLIENTS: Readonly<Record<ClientProtocolName, ChatClient>> = {
  openai: {
    readChat,
    writer: ({ wantsUsage }, created) => new ChunkWriter(created, wantsUsage),
    write: writeCompletion,
  },
  claude: {
    readChat: readMessages,
    writer: (request) => new EventWriter(roughPrompt(request)),
    write: writeMessage,
  },
  responses: {
    readChat: readResponses,
    writer: ({ endpoint }, created) => new ResponseWriter(created, endpoint.toolNames),
    write: (parts, usage, created, { toolNames }) =>
      writeResponse(parts, usage, created, toolNames),
  },
  gemini: {
    readChat: readContents,
    writer: ({ endpoint }) => new FrameWriter(endpoint.streams === 'list'),
    write: writeAnswer,
  },
}

/** Chats of that protocol. */
export const chatClient = (name: ClientProtocolName): ChatClient => CHAT_CLIENTS[name]

/**
 * Writes the answer to a request out of a stream: as the stream that its client asked for, or, where it asked for none
 * and upstream streams all the same, as one whole answer. `created` in unix seconds.
 */
export function writerFor(request: ModelRequest, created: number): PartWriter {
  const { endpoint } = request
  const client = chatClient(endpoint.protocol)
  if (request.stream) return client.writer(request, created)
  return new WholeWriter((parts, usage) => client.write(parts, usage, created, endpoint))
}
