import { isNative } from '../channel-fit.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { roughPrompt } from '../metering/prompt-bound.ts'
import type { ModelRequest } from '../protocols/model-request.ts'
import { refusal } from '../refusal.ts'
import { clientProtocol } from '../protocols/client-protocols.ts'
import { isUnusable, send } from '../protocols/send.ts'
import { protocolFor } from '../protocols/upstream-protocols.ts'
import { isSuccess } from '../upstream/call.ts'
import { UNTRANSLATABLE } from '../upstream/errors.ts'
import { decoded } from '../upstream/decoded.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import type { Exchange } from './exchange.ts'
import { refuse } from './finish.ts'
import { outgoingOptions } from './forward.ts'

/** A provider counts at once; one that does not is not waited for. */
const PATIENCE_MS = 10_000

/**
 * Tells the tokens of a prompt, of which nothing is held, charged or noted: as a channel that counts says, else by our
 * own count.
 */
export async function countTokens(
  exchange: Exchange,
  admission: Admission,
  deps: RelayDeps,
): Promise<void> {
  const told = await countOfChannel(exchange, admission, deps)
  const [hidden] = told === null ? uncounted(admission.request) : []
  if (hidden !== undefined) {
    const text = `${hidden} names what lies with the provider, and no channel of this model counts it; send the content itself`
    const why = refusal(400, UNTRANSLATABLE, text, { param: hidden })
    return refuse(exchange, admission.caller, why, deps)
  }
  const tokens = told ?? (await ownCount(exchange, admission, deps))
  const body = clientProtocol(exchange.endpoint.protocol).counted?.(tokens) ?? String(tokens)
  exchange.answer.send(200, 'application/json', body)
  const { rateLimiter, directory } = deps
  rateLimiter.succeeded(admission.caller.user.id, directory.settings.rateLimit)
}

/** Names of what our own count of a responses' prompt would not see. */
const uncounted = ({ endpoint, providerObjects = [] }: ModelRequest): readonly string[] =>
  endpoint.protocol === 'responses' ? providerObjects.filter((name) => CONTENTS.has(name)) : []

const CONTENTS: ReadonlySet<string> = new Set([
  'conversation',
  'prompt',
  'item_reference',
  'file_id',
])

/** Null when the channel does not count, or not now. */
async function countOfChannel(
  exchange: Exchange,
  admission: Admission,
  deps: RelayDeps,
): Promise<number | null> {
  const { request } = admission
  const channel = channelFor(admission, deps)
  if (channel === null) return null
  const protocol = protocolFor(channel, request)
  if (isUnusable(protocol) || protocol.readCount === undefined) return null
  // Another protocol would be asked to answer.
  if (!isNative(protocol.name, request.endpoint.protocol)) return null
  const sent = await protocol.outgoing(request, channel, outgoingOptions(exchange, admission, deps))
  if (isUnusable(sent)) return null
  const limits = { firstByteMs: PATIENCE_MS, idleMs: PATIENCE_MS }
  const call = send({ channel, protocol, sent }, exchange, { ...deps, limits })
  if (isUnusable(call)) return null
  exchange.answer.whenGone(() => call.abort())
  const answer = await call.answer
  exchange.answer.whenGone(null)
  if (answer.kind === 'stream') call.abort()
  if (answer.kind !== 'whole' || !isSuccess(answer.status)) return null
  const body = await decoded(answer.body, answer.headers)
  return body && protocol.readCount(body)
}

/** As a request would be sent to, but never a half-open one: a count shows nothing of it. */
function channelFor({ caller, request }: Admission, { directory }: RelayDeps): ChannelFacts | null {
  if (caller.pinnedChannel !== null) return directory.channel(Number(caller.pinnedChannel))
  const { model, endpoint } = request
  return directory.choose({
    group: caller.group,
    model,
    operation: endpoint.mode,
    failed: new Set(),
    attempt: 0,
  })
}

async function ownCount(
  { answer }: Exchange,
  { caller, request }: Admission,
  { exactPrompts }: RelayDeps,
): Promise<number> {
  const gone = new AbortController()
  answer.whenGone(() => gone.abort())
  const counted = await exactPrompts.count(caller.user.id, request, gone.signal)
  answer.whenGone(null)
  // A stored history is not in the body that was counted.
  return counted === null ? roughPrompt(request) : counted + (request.previous?.tokens ?? 0)
}
