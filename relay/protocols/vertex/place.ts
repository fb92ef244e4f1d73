import type { ChannelFacts } from '../../directory/facts.ts'
import { isObject, parseForeign } from '../../json.ts'
import { unusableError, type UpstreamError } from '../../upstream/errors.ts'
import { serviceAccountOf } from '../../upstream/service-account.ts'

/** Where a channel's models are: Google's host, and the path below which a location's models stand. */
export interface Place {
  readonly baseUrl: string
  /** Without a version: `/projects/p/locations/us-east5`. */
  readonly location: string
}

/** It becomes part of a host's name. */
const REGION = /^[a-z]{1,20}(?:-[a-z0-9]{1,20}){0,3}$/
/** Areas of several regions have a host of another form. */
const AREAS: ReadonlySet<string> = new Set(['us', 'eu'])

/** The place of a model, as the client asks for it; the channel's own base URL stands over Google's host. */
export function placeOf(channel: ChannelFacts, model: string): Place | UpstreamError {
  const account = serviceAccountOf(channel.key)
  if (account === null) return NO_ACCOUNT
  const region = regionOf(channel.terms.other, model)
  if (!REGION.test(region)) return NO_REGION
  return {
    baseUrl: channel.baseUrl === '' ? hostOf(region) : channel.baseUrl,
    location: `/projects/${encodeURIComponent(account.projectId)}/locations/${region}`,
  }
}

/** One region for all models, or JSON that names one for some and a default. */
function regionOf(other: string, model: string): string {
  if (!other.startsWith('{')) return other
  const regions = parseForeign(other)
  if (!isObject(regions)) return ''
  const region = (Object.hasOwn(regions, model) ? regions[model] : null) ?? regions['default']
  return typeof region === 'string' ? region : ''
}

/** As Google's SDK has it. */
function hostOf(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com'
  if (AREAS.has(region)) return `https://aiplatform.${region}.rep.googleapis.com`
  return `https://${region}-aiplatform.googleapis.com`
}

const NO_ACCOUNT = unusableError(
  503,
  'invalid_channel',
  'invalid service account: the key of this channel type is the JSON of a Google service account key',
)
const NO_REGION = unusableError(
  503,
  'invalid_channel',
  'invalid region: this channel type wants one such as us-east5 or global, or JSON of regions by model with a default',
)
