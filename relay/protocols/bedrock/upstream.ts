import type { ChannelFacts } from '../../directory/facts.ts'
import { unusableError, type UpstreamError } from '../../upstream/errors.ts'
import { headerText } from '../../upstream/header-text.ts'
import { type AwsKey, awsKey } from '../../upstream/sigv4.ts'
import { simulatedStream } from '../claude/simulated-stream.ts'
import { ClaudeStream } from '../claude/stream.ts'
import { eventAnswer, messagesOutgoing } from '../claude/upstream.ts'
import { readClaudeUsage } from '../claude/usage.ts'
import { readWholeMessage } from '../claude/whole-reply.ts'
import type { ModelRequest } from '../model-request.ts'
import { isUnusable } from '../send.ts'
import type { AskedFor, Outgoing, OutgoingOptions, UpstreamProtocol } from '../upstream-protocol.ts'
import { bedrockError } from './errors.ts'
import { bedrockId } from './model-id.ts'
import { BedrockStream } from './stream.ts'

const VERSION = 'bedrock-2023-05-31'

/** Anthropic's models on AWS Bedrock: its messages at another address, signed, and streams within AWS's own. */
export const bedrockUpstream: UpstreamProtocol = {
  name: 'bedrock',
  outgoing(request, channel, options) {
    const key = awsKey(channel.key)
    if (key === null) {
      const text =
        'invalid aws secret key: a key of this channel type is AccessKey|SecretKey|Region'
      return unusableError(503, 'invalid_channel', text)
    }
    const at = (made: Outgoing | UpstreamError): Outgoing | UpstreamError =>
      isUnusable(made) ? made : addressed(made, request, channel, key)
    const made = messagesOutgoing(request, channel, options, bodyEdits(request, options))
    return made instanceof Promise ? made.then(at) : at(made)
  },
  headers,
  learnsFrom: async () => false,
  passage(request, { key }, now, { thoughts, isSimulated = false }) {
    const answer = eventAnswer(request, now, thoughts)
    return isSimulated ? new ClaudeStream(key, answer) : new BedrockStream(key, answer)
  },
  readWhole: readWholeMessage,
  simulatedStream,
  usageOf: (report) => readClaudeUsage(report),
  errorOf: bedrockError,
}

/** Bedrock takes the model in the address, streaming as well, and Anthropic's headers as members of the body. */
function bodyEdits(
  { model }: ModelRequest,
  { claude, headers: given }: OutgoingOptions,
): ReadonlyMap<string, unknown> {
  const beta =
    claude.modelHeaders.get(model)?.['anthropic-beta'] ?? headerText(given, 'anthropic-beta')
  const betas = beta.split(',').flatMap((name) => name.trim() || [])
  return new Map<string, unknown>([
    ['model', undefined],
    ['stream', undefined],
    ['anthropic_version', VERSION],
    ...(betas.length > 0 ? [['anthropic_beta', betas] as const] : []),
  ])
}

function addressed(
  made: Outgoing,
  { stream }: ModelRequest,
  { baseUrl }: ChannelFacts,
  { region }: AwsKey,
): Outgoing {
  const model = bedrockId(made.model, region)
  const action = stream ? 'invoke-with-response-stream' : 'invoke'
  const { 'anthropic-beta': _beta, 'anthropic-version': _version, ...more } = made.headers ?? {}
  return {
    ...made,
    model,
    headers: more,
    baseUrl: baseUrl === '' ? regional(region) : baseUrl,
    path: `/model/${encodeURIComponent(model)}/${action}`,
  }
}

const regional = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

function headers(_channel: ChannelFacts, { stream }: AskedFor): Readonly<Record<string, string>> {
  if (!stream) return {}
  const accept = 'application/vnd.amazon.eventstream'
  return { accept, 'x-amzn-bedrock-accept': 'application/json' }
}
