import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../pipeline/authenticate.ts'
import { isAllowedAddress } from '../pipeline/allowed-addresses.ts'
import type { RelayDeps } from '../pipeline/deps.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { errorBody } from '../protocols/openai/errors.ts'
import { modelCard } from './model-card.ts'

/** GET /v1/models: what this token may call; a token with model limits sees those (relay-and-billing.md 2). */
export async function listModels(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const models = await modelsFor(request, deps)
  if ('refused' in models) return send(reply, models, request.id)
  return reply.send({ success: true, object: 'list', data: models.map(modelCard) })
}

/** GET /v1/models/{model}; names may contain slashes. 404 in OpenAI's shape for a model this token cannot call. */
export async function showModel(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RelayDeps,
): Promise<FastifyReply> {
  const models = await modelsFor(request, deps)
  if ('refused' in models) return send(reply, models, request.id)
  const id = nameIn(request.params)
  if (models.includes(id)) return reply.send(modelCard(id))
  const message = `The model '${id}' does not exist`
  return send(reply, refusal(404, 'model_not_found', message, { param: 'model' }), request.id)
}

async function modelsFor(
  request: FastifyRequest,
  deps: RelayDeps,
): Promise<readonly string[] | Refusal> {
  const caller = await authenticate(request.headers, deps.directory, deps.clock)
  if (isRefusal(caller)) return caller
  if (!isAllowedAddress(request.ip, caller.token?.terms.allowedIps ?? [])) {
    return refusal(403, 'ip_not_allowed', '您的 IP 不在令牌允许访问的列表中')
  }
  return namesFor(caller, deps)
}

const namesFor = (caller: Caller, { directory }: RelayDeps): readonly string[] =>
  caller.token?.terms.models ?? directory.modelsOf(caller.group).toSorted()

function nameIn(params: unknown): string {
  const name = typeof params === 'object' && params !== null && '*' in params ? params['*'] : ''
  return typeof name === 'string' ? name : ''
}

const send = (reply: FastifyReply, why: Refusal, id: string): FastifyReply =>
  reply.code(why.status).type('application/json').send(errorBody(why, id))
