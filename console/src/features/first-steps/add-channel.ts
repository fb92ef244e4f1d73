import { callEnvelope, post } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import type { ChannelTypeId } from '../../parts/channel-types.ts'
import { chatModel } from '../../parts/chat-model.ts'

/** The values that the first channel is made of. */
export interface FirstChannel {
  readonly type: ChannelTypeId
  readonly name: string
  readonly key: string
  /** '' = the type's usual one. */
  readonly baseUrl: string
}

/** The outcome: the channel is saved in any case; `failure` tells why its test failed ('' = it passed). */
export interface AddedChannel {
  readonly id: number
  readonly model: string
  readonly modelCount: number
  readonly seconds: number
  readonly failure: string
}

/** Asks upstream for its models, saves the channel with them and tests it. Throws when it is not saved. */
export async function addChannel(channel: FirstChannel): Promise<AddedChannel> {
  const { type, name, key, baseUrl } = channel
  const upstream = { type, key: key.trim(), base_url: baseUrl.trim().replace(/\/$/, '') }
  const models = await post('/api/channel/fetch_models', upstream)
  const { id } = await post('/api/channel/', {
    ...upstream,
    name,
    models: [...new Set(models)].join(','),
    group: 'default',
    priority: 0,
    weight: 0,
    auto_ban: 1,
  })
  const model = chatModel(models)
  const added = { id, model, modelCount: models.length }
  return { ...added, ...(await testChannel(added)) }
}

/** Sends a small request through the channel; a failure is an answer here. */
export async function testChannel({
  id,
  model,
}: Pick<AddedChannel, 'id' | 'model'>): Promise<Pick<AddedChannel, 'seconds' | 'failure'>> {
  try {
    const answer = await callEnvelope('GET', pathOf('/api/channel/test/{id}', { id }), {
      query: { model },
    })
    return { seconds: answer.time ?? 0, failure: '' }
  } catch (error) {
    return { seconds: 0, failure: error instanceof Error ? error.message : String(error) }
  }
}
