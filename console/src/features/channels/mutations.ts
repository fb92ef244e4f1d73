import { useMutation, useQueryClient } from '@tanstack/react-query'
import { callEnvelope, get, post, put, remove, serverWords } from '../../core/api.ts'
import { type BodyOf, pathOf } from '../../core/calls.ts'
import { chatModel } from '../../parts/chat-model.ts'
import type { ChannelForm } from './channel-form.ts'
import { channelChanges, channelPayload } from './channel-form.ts'

/** Runs a change of channels and reads the lists again, whatever came of it. */
export function useChannelChange<Input, Output = unknown>(
  change: (input: Input) => Promise<Output>,
  onDone?: (output: Output, input: Input) => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (output, input) => onDone?.(output, input),
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  })
}

/**
 * Adds a channel (a copy is one too), or changes the one with `id` by what differs from the form that was opened; answers
 * its id.
 */
export async function saveChannel({
  id,
  opened,
  form,
}: {
  id: number | null
  opened: ChannelForm
  form: ChannelForm
}): Promise<number> {
  if (id === null) return (await post('/api/channel/', channelPayload(form))).id
  await put('/api/channel/', { id, ...channelChanges(opened, form) })
  return id
}

/** Changes single fields of a channel, such as its status, priority or weight. */
export function patchChannel(
  patch: Pick<BodyOf<'PUT', '/api/channel'>, 'id' | 'status' | 'priority' | 'weight'>,
) {
  return put('/api/channel/', patch)
}

/** Enables (1) or disables (2) several channels, one after the other. */
export async function setStatuses({
  ids,
  status,
}: {
  ids: readonly number[]
  status: 1 | 2
}): Promise<void> {
  for (const id of ids) await patchChannel({ id, status })
}

/** Deletes channels. */
export async function deleteChannels(ids: readonly number[]): Promise<void> {
  const [only] = ids
  if (only !== undefined && ids.length === 1)
    await remove(pathOf('/api/channel/{id}/', { id: only }))
  else await post('/api/channel/batch', { ids })
}

/** Puts a tag on channels. */
export function tagChannels(change: { ids: readonly number[]; tag: string }) {
  return post('/api/channel/batch/tag', change)
}

/** Enables or disables every channel of a tag. */
export function setTagStatus({ tag, isOn }: { tag: string; isOn: boolean }) {
  return post(isOn ? '/api/channel/tag/enabled' : '/api/channel/tag/disabled', { tag })
}

/** Deletes every channel that is off; gives how many there were. */
export function deleteDisabled(): Promise<number> {
  return remove('/api/channel/disabled')
}

/** How a channel that works did. */
export interface PassedTest {
  readonly seconds: number
  /** A remark on a test that passed all the same; '' = none. */
  readonly remark: string
}

/** Sends a small request through a channel. Throws with what upstream said. */
export async function testChannel({
  id,
  model,
}: {
  id: number
  model?: string
}): Promise<PassedTest> {
  const answer = await callEnvelope('GET', pathOf('/api/channel/test/{id}', { id }), {
    query: { model },
  })
  const { time, message, code = '', params = {} } = answer
  return { seconds: time, remark: await serverWords.render({ message, code, params }) }
}

/** The result of testing a channel that was just saved; `failure` '' = it passed. */
export interface TestOutcome extends PassedTest {
  readonly model: string
  readonly modelCount: number
  readonly failure: string
}

/** Tests a channel with one of its models; that it fails is an answer here, as the channel is saved. */
export async function testSaved(id: number, form: ChannelForm): Promise<TestOutcome> {
  const model = form.testModel.trim() || chatModel(form.models)
  const tested = { model, modelCount: form.models.length }
  try {
    return { ...tested, ...(await testChannel({ id, model })), failure: '' }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    return { ...tested, seconds: 0, remark: '', failure }
  }
}

/** Starts a test of every channel in the background. */
export function testAllChannels() {
  return get('/api/channel/test')
}

/** Asks upstream for a channel's balance, in its own currency. */
export async function readBalance(id: number): Promise<number> {
  const answer = await callEnvelope('GET', pathOf('/api/channel/update_balance/{id}/', { id }))
  return answer.balance
}

/** Asks upstream for the balances of all channels. */
export function readAllBalances() {
  return get('/api/channel/update_balance')
}

/** The models that upstream offers: of a saved channel, or of the address and key in a form. */
export function fetchModels(source: { id: number } | BodyOf<'POST', '/api/channel/fetch_models'>) {
  return 'id' in source
    ? get(pathOf('/api/channel/fetch_models/{id}', source))
    : post('/api/channel/fetch_models', source)
}
