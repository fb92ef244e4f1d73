import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '../json.ts'
import type { JsonScan } from '../json-scan.ts'
import type { Refusal } from '../refusal.ts'
import type { ClientProtocolName, Endpoint, ModelRequest } from './model-request.ts'

/** A protocol of clients: how their requests are read, and how refusals are written to them. */
export interface ClientProtocol {
  readonly name: ClientProtocolName
  /** The header that tells a client the id of its request. */
  readonly idHeader: 'x-request-id' | 'request-id'
  /** The credential that a request shows, as written; '' = none. `query` is that of its address, parsed. */
  keyIn(headers: IncomingHttpHeaders, query: unknown): string
  /** Reads a body that `scanBody` passed; refuses with 400 a body that no upstream could answer, naming the member. */
  read(endpoint: Endpoint, raw: Buffer, scan: JsonScan): ModelRequest | Refusal
  /** Every text of the prompt, for the word filter. */
  texts(body: JsonObject, endpoint: Endpoint): Iterable<string>
  /** The prompt taken apart for counting. */
  promptParts(body: JsonObject, endpoint: Endpoint, model: string): PromptParts
  /** The body of an answer that refuses. */
  refused(why: Refusal, requestId: string): string
  /** The same as the only content of a stream whose head has gone out, framed as `endpoint` streams. */
  refusedInStream(why: Refusal, requestId: string, endpoint: Endpoint): string
  /** The body of an answer that tells the tokens of a prompt; absent where clients cannot ask for them. */
  counted?(tokens: number): string
}

/** The tokens of a prompt: those of each text by itself, and those that no text has (framing, media, token ids). */
export interface PromptParts {
  readonly texts: readonly string[]
  readonly fixedTokens: number
}
