import { z } from 'zod'
import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import { CHANNEL_SCHEMA, channelEntity, EXAMPLE_CHANNEL } from '../http-contract/channel-entity.ts'
import { destinationOf } from '@tollgate/domain/channel/destination.ts'
import type { ChannelTerms } from '@tollgate/domain/channel/events.ts'
import { isHeaderText, normalisedTerms, termsProblem } from '@tollgate/domain/channel/terms.ts'
import { int, lenientBody } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { idInPath } from '../http/query.ts'
import { channelRejectionMessage } from '../http/rejection-messages.ts'
import { CHANNEL_FIELDS, NEW_CHANNEL, readChannelFields } from './channel-fields.ts'
import {
  addChannel,
  insertSecrets,
  concernsDestination,
  deleteChannel,
  executeOnChannel,
  loadChannel,
  reviseChannel,
  type Revision,
} from './channel-writer.ts'
import type { ChannelRouteDeps } from './deps.ts'
import { missingKeyProblem } from './new-destination.ts'
import { addressInUse, reachOf, destinationProblem } from './private-address.ts'
import { isProxyAddress } from './setting.ts'

const NO_ID = 'id 为空！'
const NOT_FOUND = 'record not found'
const PROXY_INVALID = '代理地址无效，请以 http://、https:// 或 socks5:// 开头'
const KEY_INVALID = '渠道密钥只能包含可见的 ASCII 字符，不能换行，请检查后重新填写'
const NAME_CHARACTERS_MAX = 255
/** A service account's key spans lines, so channels of this type are made one at a time. */
const VERTEX_AI = 41
/** Channels that one form may make: one per line of keys. */
const CHANNELS_AT_ONCE_MAX = 500

/** Adding, changing and deleting single channels (console-api 2.7). */
export const channelWriteRoutes = (deps: ChannelRouteDeps): readonly ApiRoute[] => [
  createRoute(deps),
  updateRoute(deps),
  route({
    method: 'DELETE',
    path: '/api/channel/:id',
    access: 'admin',
    summary: 'Delete a channel; it gets no new request from then on',
    params: idInPath('Id of the channel'),
    answer: {},
    example: { params: { id: '3' } },
    handle: async (request) => {
      if (request.params.id === 0) return failure(NO_ID)
      if (request.params.id < 0) return failure(NOT_FOUND)
      const outcome = await deleteChannel(deps, request.params.id, causeOf(request))
      return outcome.status === 'rejected' ? failure(outcome.message) : { wrote: outcome.position }
    },
  }),
]

const createRoute = (deps: ChannelRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/channel',
    access: 'admin',
    summary: 'Add a channel, or one per line of the key; answers the first id and all',
    body: lenientBody(CHANNEL_FIELDS),
    answer: { data: z.strictObject({ id: z.int(), ids: z.array(z.int()) }) },
    example: {
      body: {
        type: 1,
        name: 'OpenAI',
        key: 'sk-one\nsk-two',
        models: 'gpt-4o,gpt-4o-mini',
        group: 'default,vip',
        priority: 10,
        auto_ban: 1,
      },
      data: { id: 3, ids: [3, 4] },
    },
    handle: async (request) => {
      const { body } = request
      const { changes, proxy = '' } = readChannelFields(body)
      const terms = { ...NEW_CHANNEL, ...changes }
      const keys = keysOf(body.type, body.key)
      const refusal =
        problemOf(body.name, proxy) ??
        (body.name.trim() === '' || keys.length === 0 ? '请填写渠道名称和渠道密钥！' : null) ??
        (keys.length > CHANNELS_AT_ONCE_MAX
          ? `一次最多添加 ${CHANNELS_AT_ONCE_MAX} 个渠道，请减少密钥行数`
          : null) ??
        termsMessage(normalisedTerms(terms)) ??
        (keys.every((key) => isUsableKey(body.type, key)) ? null : KEY_INVALID) ??
        (await destinationProblem(deps, reachOf(callerOf(request).role), [
          addressInUse(deps, terms),
          proxy,
        ]))
      if (refusal !== undefined && refusal !== null) return failure(refusal)
      const cause = causeOf(request)
      const name = body.name.trim()
      const reserved = await request.command.reserve(() =>
        insertSecrets(
          deps,
          keys.map((key) => ({ name, key, proxy })),
          terms,
        ),
      )
      // A repeated request may find some of its channels deleted since: the answer has those that still exist.
      const open = await deps.secrets.openMany(reserved)
      const ids = reserved.filter((id) => open.has(id))
      let wrote = -1
      for (const id of ids) {
        const added = await addChannel(deps, id, terms, cause)
        if (added.status === 'rejected') return failure(added.message)
        wrote = added.position
        // A copy of a channel that is switched off starts switched off (decision 25).
        if (body.status > 1) {
          const off = { type: 'DisableChannel', reason: '' } as const
          const disabled = await executeOnChannel(deps, { id, command: off }, cause)
          if (disabled.status === 'done') wrote = disabled.position
        }
      }
      return { data: { id: ids[0], ids }, wrote }
    },
  })

const updateRoute = (deps: ChannelRouteDeps): ApiRoute =>
  route({
    method: 'PUT',
    path: '/api/channel',
    access: 'admin',
    summary:
      'Change a channel; what is missing stays, an empty key too. A new type, origin or proxy needs the key with it, unless root changes it',
    body: lenientBody({
      ...CHANNEL_FIELDS,
      id: int().meta({ description: 'Id of the channel', minimum: 1 }),
    }),
    answer: { data: z.fromJSONSchema(CHANNEL_SCHEMA).nullable() },
    example: { body: { id: 3, priority: 20 }, data: EXAMPLE_CHANNEL },
    handle: async (request) => {
      const { body } = request
      const { id } = body
      if (id === 0) return failure(NO_ID)
      const [before, present] =
        id < 0 ? [null, null] : await Promise.all([loadChannel(deps, id), deps.secrets.open(id)])
      if (before === null || present === null) return failure(NOT_FOUND)
      const { changes, proxy } = readChannelFields(body)
      const name = body.name.trim()
      const key = body.key.trim()
      const change = {
        ...(name !== '' && { name }),
        ...(key !== '' && { key }),
        ...(proxy !== undefined && { proxy }),
      }
      const revision = { changes, from: before.terms, secret: { change, from: present } }
      const refusal = await revisionProblem(deps, revision, callerOf(request).role)
      if (refusal !== null) return failure(refusal)
      const cause = causeOf(request)
      const revised = await reviseChannel(deps, id, revision, cause)
      if (revised.status === 'rejected') return failure(revised.message)
      const switched = await switchTo(deps, id, body.status, cause)
      if (switched !== null && switched.status === 'rejected') return failure(switched.message)
      return {
        data: await presentEntity(deps, id),
        wrote: switched === null ? revised.position : switched.position,
      }
    },
  })

function termsMessage(terms: ChannelTerms): string | null {
  const problem = termsProblem(terms)
  return problem === null ? null : channelRejectionMessage(problem)
}

/** Why a change is refused before any of it is written; null when it may be made. */
async function revisionProblem(
  deps: ChannelRouteDeps,
  revision: Revision,
  callerRole: number,
): Promise<string | null> {
  const { changes, from, secret } = revision
  const { name = '', key = '', proxy = '' } = secret.change
  const terms = normalisedTerms({ ...from, ...changes })
  const refusal =
    problemOf(name, proxy) ??
    (Object.keys(changes).length === 0 ? null : termsMessage(terms)) ??
    (isUsableKey(terms.type, key) ? null : KEY_INVALID)
  if (refusal !== null || !concernsDestination(revision)) return refusal
  const { destination, proxy: presentProxy } = secret.from
  const address = addressInUse(deps, terms)
  const moved = [
    ...(address === addressInUse(deps, from) ? [] : [address]),
    ...(secret.change.proxy === undefined || proxy === presentProxy ? [] : [proxy]),
  ]
  return (
    missingKeyProblem({
      from: { destination: destination ?? destinationOf(from), proxy: presentProxy },
      to: { destination: destinationOf(terms), proxy: secret.change.proxy ?? presentProxy },
      key,
      callerRole,
    }) ?? (await destinationProblem(deps, reachOf(callerRole), moved))
  )
}

/** 1 switches on, 2 off; 3 (taken out of service automatically) comes back with old forms and changes nothing. */
async function switchTo(
  deps: ChannelRouteDeps,
  id: number,
  status: number,
  cause: ReturnType<typeof causeOf>,
) {
  if (status === 1) return executeOnChannel(deps, { id, command: { type: 'EnableChannel' } }, cause)
  if (status !== 2) return null
  return executeOnChannel(deps, { id, command: { type: 'DisableChannel', reason: '' } }, cause)
}

async function presentEntity(deps: ChannelRouteDeps, id: number): Promise<ApiReply['data']> {
  const channel = await loadChannel(deps, id)
  const beside = (await deps.secrets.describe([id])).get(id)
  if (channel === null || beside === undefined) return null
  const usedQuota = await deps.channelList.usedQuota(id)
  return channelEntity(id, channel, {
    name: beside.name,
    createdAtMs: beside.createdAt.getTime(),
    usedQuota,
  })
}

function problemOf(name: string, proxy: string): string | null {
  if (Array.from(name).length > NAME_CHARACTERS_MAX) return '渠道名称过长'
  return isProxyAddress(proxy) ? null : PROXY_INVALID
}

/** A service account's key is a document that signs requests; every other key goes into a header. */
const isUsableKey = (type: number, key: string): boolean => type === VERTEX_AI || isHeaderText(key)

function keysOf(type: number, key: string): readonly string[] {
  const keys = type === VERTEX_AI ? [key] : key.split('\n')
  return keys.map((line) => line.trim()).filter((line) => line !== '')
}
