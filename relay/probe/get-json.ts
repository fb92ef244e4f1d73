import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import type { Address } from '../upstream/address.ts'
import { callUpstream } from '../upstream/call.ts'
import { credentialHeaders } from '../upstream/credentials.ts'
import { decoded } from '../upstream/decoded.ts'
import { unreachableError } from '../upstream/errors.ts'
import { answerInTime } from './answer-in-time.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { wordsForAdmins } from './words-for-admins.ts'

/** Lists of ten thousand models take a tenth of it. */
const JSON_BYTES_MAX = 4 * 1024 * 1024

/** How a question differs from the usual one. */
interface ProviderRequest {
  /** Instead of those that the channel's type signs with. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Asks a channel's upstream for a JSON document; throws ProbeFailed with a message fit for the admin. */
export async function getJson(
  channel: ChannelFacts,
  address: Address,
  deps: ProbeDeps,
  { headers = bearer(channel, address, deps), signal }: ProviderRequest = {},
): Promise<unknown> {
  const call = callUpstream({
    dispatcher: deps.dispatchers.through(channel.proxy),
    address,
    method: 'GET',
    headers: { accept: 'application/json', ...headers },
    body: null,
    firstByteMs: deps.limits.firstByteMs,
    idleMs: deps.limits.idleMs,
  })
  const got = await answerInTime(call, signal)
  if (got.kind === 'unreachable') {
    throw new ProbeFailed(wordsForAdmins(unreachableError(got)), got.cause)
  }
  if (got.kind === 'stream') {
    call.abort()
    throw new ProbeFailed('解析响应失败: 上游返回的是事件流，请检查渠道 API 地址')
  }
  if (got.status !== 200) throw new ProbeFailed(`status code: ${got.status}`)
  const body = await decoded(got.body, got.headers)
  if (body !== null && body.length > JSON_BYTES_MAX) {
    throw new ProbeFailed('解析响应失败: 上游的响应过大，请检查渠道 API 地址')
  }
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch (error) {
    throw new ProbeFailed('解析响应失败: 上游返回的不是 JSON，请检查渠道 API 地址', error)
  }
}

function bearer(
  channel: ChannelFacts,
  address: Address,
  deps: ProbeDeps,
): Readonly<Record<string, string>> {
  const { auth } = channel.type
  const scheme = auth === 'other-protocol' ? 'bearer' : auth
  const request = { method: 'GET', address, body: null } as const
  return credentialHeaders(scheme, channel.key, deps.clock.now(), request)
}
