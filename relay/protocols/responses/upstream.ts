import type { ChannelFacts } from '../../directory/facts.ts'
import { isObject, parseForeign } from '../../json.ts'
import { readUsage } from '../../metering/openai-usage.ts'
import type { UpstreamError } from '../../upstream/errors.ts'
import { editMembers } from '../json-members.ts'
import type { Endpoint, ModelRequest } from '../model-request.ts'
import { openAiUpstream } from '../openai/upstream.ts'
import { refusedObject } from '../provider-objects.ts'
import { readInputTokens } from '../read-count.ts'
import type { Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { COMPACT, RESPONSES } from './request.ts'
import { withSealedIds } from './sealed-ids.ts'
import { simulatedStream } from './simulated-stream.ts'
import { ResponsesStream } from './stream.ts'
import { readWholeResponse } from './whole-reply.ts'

/** Providers of OpenAI's responses, for its clients: bytes pass, but for ids and the channel's own changes. */
export const responsesUpstream: UpstreamProtocol = {
  name: 'responses',
  outgoing,
  headers: (channel, asked) => openAiUpstream.headers(channel, asked),
  learnsFrom: async () => false,
  passage: ({ stream }, { key }, _now, { names }) => new ResponsesStream(key, names, stream),
  readWhole: (_endpoint, body) => readWholeResponse(body),
  simulatedStream,
  readCount: readInputTokens,
  sealedBody(body, names) {
    const response = parseForeign(body.toString('utf8'))
    return isObject(response) ? withSealedIds(body, response, names) : body
  },
  usageOf: (report) => readUsage(report, []),
}

function outgoing(
  request: ModelRequest,
  channel: ChannelFacts,
  { passThrough }: OutgoingOptions,
): Outgoing | UpstreamError {
  const { raw, members, model, maxOutput, reasoningEffort, endpoint } = request
  const refused = refusedObject(request, channel, (what) =>
    PARTS_OF_TOOLS.has(what) ? 'tools' : what,
  )
  if (refused !== null) return refused
  const edits = new Map<string, unknown>()
  if (request.previous !== undefined) edits.set('previous_response_id', request.previous.id)
  const mapped = passThrough ? model : (channel.modelMapping.get(model) ?? model)
  if (mapped !== model) edits.set('model', mapped)
  if (!passThrough) {
    for (const [name, value] of Object.entries(channel.paramOverride ?? {})) {
      if (mayHave(endpoint, name)) edits.set(name, value)
    }
  }
  const limit = edits.get('max_output_tokens')
  return {
    body: edits.size === 0 ? raw : editMembers(raw, members, edits),
    model: mapped,
    reasoningEffort,
    maxOutput: typeof limit === 'number' ? limit : maxOutput,
    asksForUsage: false,
  }
}

/** A count and a compaction refuse members that say how a response is written. */
const mayHave = ({ path }: Endpoint, name: string): boolean =>
  path === RESPONSES.path || (path === COMPACT.path && COMPACT_MEMBERS.has(name))

const COMPACT_MEMBERS: ReadonlySet<string> = new Set([
  'instructions',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
])

const PARTS_OF_TOOLS: ReadonlySet<string> = new Set(['vector_store_ids', 'container'])
