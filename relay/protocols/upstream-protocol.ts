import type { IncomingHttpHeaders } from 'node:http'
import type { UpstreamProtocolName } from '../channel-types.ts'
import type { ChannelFacts, ClaudeSettings, GeminiSettings } from '../directory/facts.ts'
import type { JsonObject } from '../json.ts'
import type { AnswerOutput } from '../metering/answer-output.ts'
import type { ReportedUsage, ToolCalls } from '../metering/openai-usage.ts'
import type { Told } from '../metering/upstream-facts.ts'
import type { UpstreamAnswer } from '../upstream/call.ts'
import type { UpstreamError } from '../upstream/errors.ts'
import type { AccountThoughts, KeptThoughts, ThoughtFamily } from './chat/kept-thought.ts'
import type { TranslatedRequest, TranslationTerms } from './translation.ts'
import type { Endpoint, ModelRequest } from './model-request.ts'
import type { Passage } from './passage.ts'
import type { IdNames } from './id-names.ts'

/**
 * A protocol of providers: how requests to them are written, and how their answers are read. `now` is in unix
 * milliseconds.
 */
export interface UpstreamProtocol {
  readonly name: UpstreamProtocolName
  /** Makes the request that goes to a channel; an UpstreamError for members that this protocol cannot say. */
  outgoing(
    request: ModelRequest,
    channel: ChannelFacts,
    options: OutgoingOptions,
  ): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError>
  /** Headers beside those of every provider and the channel's credential. */
  headers(channel: ChannelFacts, asked: AskedFor): Readonly<Record<string, string>>
  /**
   * Whether an answer refuses something that the channel is not asked for again: then `outgoing` leaves it out, and the
   * request is worth sending once more.
   */
  learnsFrom(
    answer: UpstreamAnswer,
    sent: Outgoing,
    channel: ChannelFacts,
    now: number,
  ): Promise<boolean>
  /**
   * A stream that answers the request, on its way to the client, which knows its ids by `names`; `thoughts` keep those
   * that the client may not send back. `isSimulated`: its bytes are those of `simulatedStream`.
   */
  passage(
    request: ModelRequest,
    channel: ChannelFacts,
    now: number,
    kept: {
      readonly names: IdNames
      readonly thoughts: AccountThoughts
      readonly isSimulated?: boolean
    },
  ): Passage
  /** Reads an answer of status 200 that is no stream. */
  readWhole(endpoint: Endpoint, body: Buffer, now: number): WholeReply
  /**
   * The events of a stream that would say the same as a whole answer, given as parsed JSON; null when it is none that
   * streams say. Some upstreams answer at once where a stream was asked for, and SDKs read nothing but events then.
   */
  simulatedStream(answer: unknown): Buffer | null
  /** A whole answer with the ids that its client is to know; absent where upstream keeps nothing. */
  sealedBody?(body: Buffer, names: IdNames): Buffer
  /**
   * Tokens of a prompt that a provider was asked to count, null = it reported none; absent where providers count
   * nothing.
   */
  readCount?(body: Buffer): number | null
  /** The usage that such an answer reports, in kinds of tokens. */
  usageOf(report: JsonObject | null, channel: ChannelFacts): ReportedUsage
  /** Reads an answer that is an error, where the provider has an own way to tell of one; `key` is masked. */
  errorOf?(status: number, headers: IncomingHttpHeaders, body: Buffer, key: string): UpstreamError
  /** The error that an answer of status 200 tells; absent where it is an object like OpenAI's. */
  errorIn?(answer: JsonObject, key: string): UpstreamError
}

/** A request as it goes to a channel's upstream. */
export interface Outgoing {
  readonly body: Buffer
  /** The model as upstream knows it. */
  readonly model: string
  /** The effort asked for, by field or by the model's suffix. */
  readonly reasoningEffort: string | null
  /** Output tokens that upstream is allowed, over all choices, after the channel's changes; null = no limit. */
  readonly maxOutput: number | null
  /** It asks for usage by an option that some providers refuse. */
  readonly asksForUsage: boolean
  /** Thinking was asked for and is off: the thoughts behind the last calls of tools are lost. */
  readonly isThinkingLost?: boolean
  /** In place of the channel's, where the channel's region decides. */
  readonly baseUrl?: string
  /** Below the base URL, where it is not the endpoint's own. */
  readonly path?: string
  /** In place of those that would be sent. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The facts that the bytes depend on beside request and channel. */
export interface OutgoingOptions {
  /** The operator's option: everything goes as it came. */
  readonly passThrough: boolean
  /** Unix milliseconds. */
  readonly now: number
  /** The operator's options for Anthropic's models. */
  readonly claude: ClaudeSettings
  /** The same for Google's. */
  readonly gemini: GeminiSettings
  /** The client's, for providers that take the contents of headers in the body. */
  readonly headers: IncomingHttpHeaders
  /** The account's kept thoughts, for clients that do not send them back. */
  readonly thoughts: AccountThoughts
  /** A picture by its address as a data URL, or why it could not be had. */
  readonly fetchImage: (
    url: string,
  ) => Promise<{ readonly dataUrl: string } | { readonly problem: string }>
  /** The token that shows the key of a channel to Google, fetched first where there is none in use. */
  readonly googleToken: (
    channel: ChannelFacts,
  ) => string | UpstreamError | Promise<string | UpstreamError>
  /** Puts a request in other words in a thread: one that is too long to be read on the serving thread. */
  readonly translateLong: (raw: Buffer, terms: TranslationTerms) => Promise<TranslatedRequest>
}

/** The question to upstream. */
export interface AskedFor {
  readonly endpoint: Endpoint
  readonly stream: boolean
  /** Azure's API version, as the client's query names it; '' = it names none. */
  readonly apiVersion?: string
  /** The client's, of which some go along; absent in a probe. */
  readonly headers?: IncomingHttpHeaders
}

/** A 200 answer that is no event stream, with the facts that metering needs. */
export type WholeReply =
  | {
      readonly status: 'answered'
      /** As far as it was read. */
      readonly told: Told
      /** The usage that upstream reported, in its own words; null when it reported none. */
      readonly report: JsonObject | null
      /** The usage that is billed, where that is more or less than the report says; absent = `usageOf` reads it. */
      readonly usage?: ReportedUsage
      readonly output: AnswerOutput
      /** Upstream gave something beside usage: text or vectors. */
      readonly hasContent: boolean
      /** Calls of the provider's own tools that have a price. */
      readonly calls?: ToolCalls
      /** The answer in the client's protocol, where upstream's own bytes are not. */
      readonly body?: Uint8Array
      /** The same as the events of upstream's own stream, where the client asked for a stream. */
      readonly events?: Uint8Array
      /** Behind its calls of tools, where it is in other words than upstream's. */
      readonly thoughts?: { readonly of: ThoughtFamily; readonly byCall: KeptThoughts }
    }
  /** Upstream's own error object in a body of status 200. */
  | { readonly status: 'error'; readonly error: JsonObject }
  | { readonly status: 'garbage'; readonly reason: string }
