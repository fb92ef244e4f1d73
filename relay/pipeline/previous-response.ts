import type { ModelRequest } from '../protocols/model-request.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { StoredResponse } from '../stored-responses/response-ids.ts'
import type { Caller } from './authenticate.ts'
import type { RelayDeps } from './deps.ts'

/**
 * Where the response lies that a request goes on from: only its own channel knows it. Null when the request begins
 * anew; a Refusal when the account has no such response, or may not use its channel any more.
 */
export function previousResponse(
  { user, group, pinnedChannel }: Caller,
  { fields, endpoint, model }: ModelRequest,
  { responseIds, directory }: Pick<RelayDeps, 'responseIds' | 'directory'>,
): StoredResponse | Refusal | null {
  const named = endpoint.mode === 'responses' ? (fields['previous_response_id'] ?? null) : null
  if (typeof named !== 'string') return null
  const stored = responseIds.open(user.id, named)
  const channel = stored && directory.channel(stored.channel)
  if (stored === null || channel === null) return notFound(named, 'previous_response_id')
  const { terms } = channel
  const isServed = terms.models.includes(model) && terms.groups.includes(group)
  const isPinnedElsewhere = pinnedChannel !== null && pinnedChannel !== String(stored.channel)
  if (!isServed || isPinnedElsewhere) return notFound(named, 'previous_response_id')
  return channel.isEnabled ? stored : UNAVAILABLE
}

/** How OpenAI calls a response that is not there; foreign ones are none. */
export function notFound(id: string, param: string): Refusal {
  const text = `Response with id '${id.slice(0, SHOWN_MAX)}' not found`
  return refusal(404, 'previous_response_not_found', text, { param, type: 'invalid_request_error' })
}

const SHOWN_MAX = 100
const UNAVAILABLE = refusal(
  503,
  'no_available_channel',
  'the channel that keeps this response is out of service; try again later, or send the conversation itself',
  { retryAfterSeconds: 10 },
)
