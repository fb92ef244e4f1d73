import type { IncomingHttpHeaders } from 'node:http'
import type { ChannelFacts, ClaudeSettings } from '../../directory/facts.ts'
import type { UpstreamError } from '../../upstream/errors.ts'
import { headerText } from '../../upstream/header-text.ts'
import { editMembers, type MemberEdits } from '../json-members.ts'
import type { ModelRequest } from '../model-request.ts'
import { notTranslated } from '../not-translated.ts'
import { refusedObject } from '../provider-objects.ts'
import { readInputTokens } from '../read-count.ts'
import type { ClaudeTerms, TranslatedRequest } from '../translation.ts'
import { translateWithThoughts } from '../translate-with-thoughts.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { type AccountThoughts, keepingThoughts } from '../chat/kept-thought.ts'
import { writerFor } from '../chat-clients.ts'
import { type EventAnswer, PassedEvents, TranslatedEvents } from './event-answers.ts'
import { refusesSampling } from './model-abilities.ts'
import { MESSAGES } from './request.ts'
import { simulatedStream } from './simulated-stream.ts'
import { ClaudeStream } from './stream.ts'
import { translateRequest } from './translate.ts'
import { readClaudeUsage } from './usage.ts'
import { mayWantOlder, namedVersion, namesSampling, versionHeader } from './version.ts'
import { readWholeMessage } from './whole-reply.ts'
import { nameOf, THINKING_OUTPUT_MIN, thinkingByName } from './write-chat.ts'

/** Providers of Anthropic's messages, for its clients: bytes pass, and only necessary changes are made. */
export const claudeUpstream: UpstreamProtocol = {
  name: 'claude',
  outgoing: (request, channel, options) => messagesOutgoing(request, channel, options, NO_EDITS),
  headers,
  learnsFrom: async () => false,
  passage: (request, { key }, now, { thoughts }) =>
    new ClaudeStream(key, eventAnswer(request, now, thoughts)),
  readWhole: readWholeMessage,
  simulatedStream,
  readCount: readInputTokens,
  usageOf: (report) => readClaudeUsage(report),
}

const NO_EDITS: MemberEdits = new Map()

/** A request as Anthropic's messages; `own` are members that the provider wants otherwise than Anthropic. */
export const messagesOutgoing = (
  request: ModelRequest,
  channel: ChannelFacts,
  options: OutgoingOptions,
  own: MemberEdits,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> =>
  request.endpoint.protocol === 'claude'
    ? passed(request, channel, options, own)
    : translated(request, channel, options, own)

/** The answer that the client of a request gets to the events of a message. `now` in unix milliseconds. */
export function eventAnswer(
  request: ModelRequest,
  now: number,
  thoughts: AccountThoughts,
): EventAnswer {
  if (request.endpoint.protocol === 'claude' && request.stream) return new PassedEvents()
  const writer = writerFor(request, Math.floor(now / 1_000))
  return new TranslatedEvents(keepingThoughts(writer, 'claude', thoughts))
}

function passed(
  request: ModelRequest,
  channel: ChannelFacts,
  { passThrough, claude, headers: given }: OutgoingOptions,
  own: MemberEdits,
): Outgoing | UpstreamError {
  const refused = refusedObject(request, channel)
  if (refused !== null) return refused
  const { raw, model, members, maxOutput, reasoningEffort, endpoint, attempts = 1 } = request
  const base = { reasoningEffort, asksForUsage: false }
  const headersBy = (edits: MemberEdits): Readonly<Record<string, string>> => ({
    ...passedVersion(raw, members, edits, given),
    ...claude.modelHeaders.get(model),
  })
  if (passThrough) {
    const headers = headersBy(NO_EDITS)
    const most = maxOutput === null ? null : maxOutput * attempts
    return { ...base, headers, body: edited(raw, members, own), model, maxOutput: most }
  }
  const mapped = channel.modelMapping.get(model) ?? model
  const { model: named, thinks } = nameOf({ model: mapped, thinkingShare: claude.thinkingShare })
  const edits = new Map<string, unknown>()
  if (named !== model) edits.set('model', named)
  // A count refuses every member that is no prompt.
  if (endpoint.countsOnly !== true) {
    const limit = maxOutput ?? limitOf(claude, mapped)
    if (maxOutput === null) edits.set('max_tokens', limit)
    const isAskedFor = members.some(({ key }) => key === 'thinking')
    if (thinks && !isAskedFor) {
      for (const edit of thinkingEdits(named, limit, claude)) edits.set(...edit)
    }
    for (const edit of Object.entries(channel.paramOverride ?? {})) edits.set(...edit)
  }
  const edit = edits.get('max_tokens')
  const limit = typeof edit === 'number' ? edit : maxOutput
  return {
    ...base,
    headers: headersBy(edits),
    body: edited(raw, members, new Map([...edits, ...own])),
    model: named,
    maxOutput: limit === null ? null : limit * attempts,
  }
}

const edited = (raw: Buffer, members: ModelRequest['members'], edits: MemberEdits): Buffer =>
  edits.size === 0 ? raw : editMembers(raw, members, edits)

/** The version where the client names none, or where the channel adds members that the client's may refuse. */
function passedVersion(
  raw: Buffer,
  members: ModelRequest['members'],
  edits: MemberEdits,
  given: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  const added = [...edits].flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (namedVersion(given) !== '' && !namesSampling(added)) return {}
  const kept = members.flatMap(({ key }) => (edits.has(key) ? [] : [key]))
  return versionHeader(namesSampling([...kept, ...added]) || mayWantOlder(raw))
}

/** Edits that make a request think that names a model `-thinking`. */
function thinkingEdits(
  model: string,
  limit: number,
  { thinkingShare }: ClaudeSettings,
): ReadonlyArray<readonly [name: string, value: unknown]> {
  const maxTokens = Math.max(limit, THINKING_OUTPUT_MIN)
  return [
    ['max_tokens', maxTokens],
    ['thinking', thinkingByName(model, maxTokens * (thinkingShare ?? 0)).thinking],
    ['temperature', undefined],
    ['top_p', undefined],
    ...(refusesSampling(model) ? ([['top_k', undefined]] as const) : []),
  ]
}

const limitOf = ({ defaultMaxTokens }: ClaudeSettings, model: string): number =>
  defaultMaxTokens.get(model) ?? defaultMaxTokens.get('default') ?? MAX_TOKENS

/** A request of another protocol's clients: nothing of it can be passed through as it is. */
function translated(
  { endpoint, raw, body, model, stream, reasoningEffort }: ModelRequest,
  channel: ChannelFacts,
  { claude, translateLong, thoughts }: OutgoingOptions,
  own: MemberEdits,
): Outgoing | UpstreamError | Promise<Outgoing | UpstreamError> {
  const mapped = channel.modelMapping.get(model) ?? model
  const terms: ClaudeTerms = {
    into: 'claude',
    stream,
    from: endpoint.protocol,
    model: mapped,
    defaultMaxTokens: limitOf(claude, mapped),
    thinkingShare: claude.thinkingShare,
    override: { ...channel.paramOverride, ...Object.fromEntries(own) },
    // Bedrock runs none of Anthropic's own tools.
    ...(channel.type.protocol === 'bedrock' && { cannotSearch: true }),
  }
  const read = (answer: TranslatedRequest): Outgoing | UpstreamError => {
    if (answer.status !== 'translated') return notTranslated(answer)
    return {
      body: Buffer.from(answer.json),
      model: nameOf(terms).model,
      reasoningEffort,
      maxOutput: answer.maxTokens,
      asksForUsage: false,
      path: MESSAGES.path,
      headers: {
        ...versionHeader(answer.wantsOlderVersion === true),
        ...claude.modelHeaders.get(model),
      },
      isThinkingLost: answer.isThinkingLost,
    }
  }
  const translated = translateWithThoughts(terms, thoughts, (by) =>
    body === null ? translateLong(raw, by) : translateRequest(body, by),
  )
  return translated instanceof Promise ? translated.then(read) : read(translated)
}

/** Where the operator's table names none. */
const MAX_TOKENS = 8_192

/** The version and previews that the client names; where it names none, `outgoing` has the version. */
function headers(
  _channel: ChannelFacts,
  { headers: given = {} }: AskedFor,
): Readonly<Record<string, string>> {
  const version = namedVersion(given)
  const beta = headerText(given, 'anthropic-beta')
  return {
    ...(version !== '' && { 'anthropic-version': version }),
    ...(beta !== '' && beta.length <= BETA_MAX && { 'anthropic-beta': beta }),
  }
}

/** Dozens of previews. */
const BETA_MAX = 1_024
