import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../pipeline/authenticate.ts'
import { isAllowedAddress } from '../pipeline/allowed-addresses.ts'
import type { RelayDeps } from '../pipeline/deps.ts'
import { protocolAt } from '../protocols/client-protocols.ts'
import type { ClientProtocolName } from '../protocols/model-request.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { sendRefusal } from '../send-refusal.ts'
import { anthropicCard, googleCard, modelCard } from './model-card.ts'

/**
 * GET /v1/models: the models that this token may call; a token with model limits sees those (relay-and-billing.md 2).
 */
export async function listModels(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const models = await modelsFor(request, deps)
  if ('refused' in models) return sendRefusal(request, reply, models)
  const { name } = protocolAt(request.url, request.headers)
  if (name === 'gemini') return reply.send({ models: models.map(googleCard) })
  if (name === 'claude') {
    const ends = { first_id: models.at(0) ?? null, last_id: models.at(-1) ?? null }
    return reply.send({ data: models.map(anthropicCard), has_more: false, ...ends })
  }
  return reply.send({ success: true, object: 'list', data: models.map(modelCard) })
}

/** GET /v1/models/{model}; names may contain slashes. 404 in OpenAI's shape for a model this token cannot call. */
export async function showModel(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const models = await modelsFor(request, deps)
  if ('refused' in models) return sendRefusal(request, reply, models)
  const id = nameIn(request.params)
  if (models.includes(id)) {
    return reply.send(CARDS[protocolAt(request.url, request.headers).name](id))
  }
  const message = `The model '${id.slice(0, NAME_MAX)}' does not exist`
  return sendRefusal(request, reply, refusal(404, 'model_not_found', message, { param: 'model' }))
}

const CARDS: Readonly<Record<ClientProtocolName, (id: string) => object>> = {
  openai: modelCard,
  claude: anthropicCard,
  gemini: googleCard,
  responses: modelCard,
}

async function modelsFor(
  request: FastifyRequest,
  deps: RelayDeps,
): Promise<readonly string[] | Refusal> {
  const caller = await authenticate(
    protocolAt(request.url, request.headers).keyIn(request.headers, request.query),
    deps.directory,
    deps.clock,
  )
  if (isRefusal(caller)) return caller
  if (!isAllowedAddress(request.ip, caller.token?.terms.allowedIps ?? [])) {
    return refusal(403, 'ip_not_allowed', '您的 IP 不在令牌允许访问的列表中')
  }
  return namesFor(caller, deps)
}

/** No model has a longer name. */
const NAME_MAX = 255

const namesFor = (caller: Caller, { directory }: RelayDeps): readonly string[] =>
  caller.token?.terms.models ?? directory.modelsOf(caller.group).toSorted()

function nameIn(params: unknown): string {
  const name = typeof params === 'object' && params !== null && '*' in params ? params['*'] : ''
  return typeof name === 'string' ? name : ''
}
