import { z } from 'zod'
import {
  type ApiReply,
  type ApiRoute,
  callerOf,
  failure,
  route,
} from '../http-contract/api-route.ts'
import {
  defaultText,
  OPTION_KEYS,
  type OptionKey,
  ruleOf,
} from '@tollgate/domain/settings/catalogue.ts'
import { lenientBody, optional, text } from '../http/body.ts'
import { causeOf } from '../http/cause.ts'
import { DEMO_SITE_REFUSAL } from '../http/demo-site.ts'
import type { AdjustmentNotes } from '../identity/adjustment-notes.ts'
import { noteText } from '../prices/routes.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { changeOption, type OptionDeps } from './change-option.ts'
import type { LiveOptions } from './live-options.ts'

export interface OptionRouteDeps extends OptionDeps {
  readonly options: LiveOptions
  readonly notes: Pick<AdjustmentNotes, 'keep' | 'remove'>
}

/** Reading and changing options (console-api 2.6, 3): for super administrators. */
export const optionRoutes = (deps: OptionRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/option',
    access: 'root',
    summary: 'All options but the secret ones',
    answer: { data: z.array(OPTION) },
    example: { data: [{ key: 'SystemName', value: 'Tollgate' }] },
    handle: () =>
      Promise.resolve({
        data: [...deps.options.current().entries()]
          .filter(([key]) => !ruleOf(key).isHidden)
          .map(([key, value]) => ({ key, value })),
      }),
  }),
  route({
    method: 'GET',
    path: '/api/option/defaults',
    access: 'root',
    summary: 'Texts that options have until they are changed; all but the secret ones',
    answer: { data: z.array(OPTION) },
    example: { data: [{ key: 'RetryTimes', value: '0' }] },
    handle: () =>
      Promise.resolve({
        data: OPTION_KEYS.filter((key) => !ruleOf(key).isHidden).map((key) => ({
          key,
          value: defaultText(key),
        })),
      }),
  }),
  route({
    method: 'GET',
    path: '/api/option/secrets',
    access: 'root',
    summary: 'Whether the options that are never listed have a text',
    answer: { data: z.array(SECRET_OPTION) },
    example: { data: [{ key: 'SMTPToken', is_set: true }] },
    handle: () =>
      Promise.resolve({
        data: OPTION_KEYS.filter((key) => ruleOf(key).isHidden).map((key) => ({
          key,
          is_set: hasText(deps.options, key),
        })),
      }),
  }),
  route({
    method: 'PUT',
    path: '/api/option',
    access: 'root',
    // This route alone ends a demo site; the handler refuses the other options there.
    isOpenOnDemoSite: true,
    summary: 'Set one option; a secret without a value stays as it is',
    body: lenientBody({
      key: text().describe('Name of the option, as GET /api/option lists it'),
      value: optional(text()).describe(
        'Value as text: true or false, a number, JSON; absent = empty, but a secret then stays as it is',
      ),
      note: optional(noteText()).describe(
        'Why it is changed, for those who look at its history later',
      ),
    }),
    invalidBodyStatus: 400,
    answer: {},
    example: { body: { key: 'SystemName', value: 'Tollgate' } },
    handle: (request) => {
      const { body } = request
      if (body.key !== DEMO_SITE && deps.options.current().flag(DEMO_SITE)) {
        return Promise.resolve(DEMO_SITE_REFUSAL)
      }
      if (body.value === undefined && ruleOf(body.key).isHidden) return Promise.resolve({})
      const { key, value = '', note = '' } = body
      return change(deps, { key, value, note, by: callerOf(request).userId }, causeOf(request))
    },
  }),
  route({
    method: 'POST',
    path: '/api/option/rest_model_ratio',
    access: 'root',
    summary: 'Set the model ratios back to their defaults',
    answer: {},
    example: { message: '重置模型倍率成功' },
    handle: async (request) => {
      const wish = {
        key: 'ModelRatio',
        value: defaultText('ModelRatio'),
        note: '',
        by: callerOf(request).userId,
      }
      const reply = await change(deps, wish, causeOf(request))
      return reply.success === false ? reply : { ...reply, message: '重置模型倍率成功' }
    },
  }),
]

const OPTION = z.strictObject({ key: z.string(), value: z.string() })
const SECRET_OPTION = z.strictObject({ key: z.string(), is_set: z.boolean() })

const hasText = (options: LiveOptions, key: OptionKey): boolean =>
  (ruleOf(key).isSecret ? options.secret(key) : options.current().text(key)) !== ''

/** The one option that root changes on a demo site too: without it the demo could never be switched off again. */
const DEMO_SITE = 'DemoSiteEnabled'

async function change(
  deps: OptionRouteDeps,
  wish: {
    readonly key: string
    readonly value: string
    /** Empty = none. */
    readonly note: string
    readonly by: number
  },
  cause: CommandCause,
): Promise<ApiReply> {
  const { key, value: text } = wish
  const note = wish.note === '' ? null : await deps.notes.keep(wish.by, wish.note)
  const outcome = await changeOption(deps, { key, text, note }, cause, { isOnce: true })
  const isChanged = outcome.status === 'done' && outcome.isChanged
  // A refused change, one that changes nothing and a repeated one leave no note behind.
  if (note !== null && !isChanged) await deps.notes.remove(note)
  if (outcome.status === 'rejected') return failure(outcome.rejection.message)
  // This process's own options are fresh before the next request asks for them.
  await deps.options.waitFor(outcome.position)
  return { wrote: outcome.position }
}
