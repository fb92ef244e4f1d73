import type { ChannelFacts } from '../../directory/facts.ts'
import { headerText } from '../../upstream/header-text.ts'
import { editMembers } from '../json-members.ts'
import type { ModelRequest } from '../model-request.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { ClaudeStream, readClaudeUsage } from './stream.ts'
import { readCount, readWholeMessage } from './whole-reply.ts'

/** Providers of Anthropic's messages, to its clients: bytes pass, and only what must change is changed. */
export const claudeUpstream: UpstreamProtocol = {
  name: 'claude',
  outgoing,
  headers,
  learnsFrom: async () => false,
  passage: (_request, { key }) => new ClaudeStream(key),
  readWhole: (_endpoint, body) => readWholeMessage(body),
  readCount,
  usageOf: readClaudeUsage,
}

function outgoing(
  { raw, model, members, maxOutput, reasoningEffort, endpoint }: ModelRequest,
  channel: ChannelFacts,
  { passThrough }: OutgoingOptions,
): Outgoing {
  const base = { reasoningEffort, asksForUsage: false }
  if (passThrough) return { ...base, body: raw, model, maxOutput }
  const mapped = channel.modelMapping.get(model) ?? model
  // Of a count all that is no prompt is refused.
  const override = endpoint.countsOnly === true ? null : channel.paramOverride
  const edits = new Map<string, unknown>(Object.entries(override ?? {}))
  if (mapped !== model) edits.set('model', mapped)
  const limit = edits.get('max_tokens')
  return {
    ...base,
    body: edits.size === 0 ? raw : editMembers(raw, members, edits),
    model: mapped,
    maxOutput: typeof limit === 'number' ? limit : maxOutput,
  }
}

/** The version and previews that the client names; where it names none, the version that takes every member. */
function headers(
  _channel: ChannelFacts,
  { headers: given = {} }: AskedFor,
): Readonly<Record<string, string>> {
  const version = headerText(given, 'anthropic-version')
  const beta = headerText(given, 'anthropic-beta')
  return {
    ...(VERSION.test(version) && { 'anthropic-version': version }),
    ...(beta !== '' && beta.length <= BETA_MAX && { 'anthropic-beta': beta }),
  }
}

const VERSION = /^\d{4}-\d{2}-\d{2}$/
/** Dozens of previews. */
const BETA_MAX = 1_024
