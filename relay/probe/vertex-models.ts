import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import type { ChannelFacts } from '../directory/facts.ts'
import { isObject } from '../json.ts'
import { isUnusable } from '../protocols/send.ts'
import { placeOf } from '../protocols/vertex/place.ts'
import { googleToken } from '../upstream/google-tokens.ts'
import { getJson } from './get-json.ts'
import type { ProbeDeps } from './probe-deps.ts'
import { wordsForAdmins } from './words-for-admins.ts'

/** Whose models channels of Vertex AI serve under their names. */
const PUBLISHERS = ['google', 'anthropic']
/** A hundred models: more than both publishers have. */
const PAGES_MAX = 10

/**
 * Models of Vertex AI's publishers by their names there, asked at the channel’s default region
 * (`publishers.models.list`); throws ProbeFailed.
 */
export async function vertexModels(
  channel: ChannelFacts,
  deps: ProbeDeps,
): Promise<readonly string[]> {
  const place = placeOf(channel, '')
  if (isUnusable(place)) throw new ProbeFailed(wordsForAdmins(place))
  const token = await googleToken(channel, deps)
  if (typeof token !== 'string') throw new ProbeFailed(wordsForAdmins(token))
  const headers = { authorization: `Bearer ${token}` }
  const names: string[] = []
  for (const publisher of PUBLISHERS) {
    let page = ''
    for (let n = 0; n < PAGES_MAX; n += 1) {
      const path = `/v1beta1/publishers/${publisher}/models?pageSize=100${page}`
      const { origin, pathname } = new URL(place.baseUrl)
      const address = { origin, path: `${pathname.replace(/\/$/, '')}${path}` }
      const answer = await getJson(channel, address, deps, { headers })
      const { publisherModels: models, nextPageToken: next } = isObject(answer) ? answer : {}
      if (Array.isArray(models)) names.push(...models.flatMap(nameIn))
      if (typeof next !== 'string' || next === '') break
      page = `&pageToken=${encodeURIComponent(next)}`
    }
  }
  return names
}

/** `publishers/google/models/gemini-2.5-pro` → its last part. */
const nameIn = (model: unknown): readonly string[] =>
  isObject(model) && typeof model['name'] === 'string'
    ? [model['name'].slice(model['name'].lastIndexOf('/') + 1)]
    : []
