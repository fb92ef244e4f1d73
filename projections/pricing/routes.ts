import { type ApiRoute, callerOf, route } from '@tollgate/command-api/http-contract/api-route.ts'
import {
  completionRatio,
  fallbackCompletionRatio,
  groupRatio,
  hasPrice,
  type PriceBook,
  priceBookFrom,
  UNSET_MODEL_RATIO,
} from '@tollgate/domain/pricing/price-book.ts'
import { pricedName } from '@tollgate/domain/pricing/model-name.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { usableGroups, VISITOR_GROUP } from '@tollgate/domain/settings/usable-groups.ts'
import type { CommonQueryMethods } from 'slonik'
import { z } from 'zod'
import { modelsServedTo, servedModels } from '../channels/queries.ts'
import { queryText } from '../http/query.ts'

export interface PricingReadDeps {
  readonly reads: CommonQueryMethods
  /** The options in force. */
  readonly currentOptions: () => OptionsView
  /** Built-in models by channel type, for the channel form. */
  readonly modelsByType: Readonly<Record<string, readonly string[]>>
}

/** A row of the price list as answers carry it. */
export const priceAnswer = z.strictObject({
  model_name: z.string(),
  quota_type: z.literal([0, 1]),
  model_ratio: z.number(),
  model_price: z.number(),
  owner_by: z.string(),
  completion_ratio: z.number(),
  enable_groups: z.array(z.string()),
  has_price: z.boolean(),
})
const EXAMPLE_PRICE: z.output<typeof priceAnswer> = {
  model_name: 'gpt-4o-mini',
  quota_type: 0,
  model_ratio: 0.075,
  model_price: 0,
  owner_by: '',
  completion_ratio: 4,
  enable_groups: ['default'],
  has_price: true,
}
const groupsAnswer = z.record(z.string(), z.strictObject({ ratio: z.number(), desc: z.string() }))
const EXAMPLE_GROUPS = { default: { ratio: 1, desc: '默认分组' } } as const

/** Prices, groups and the models that one may call (console-api 2.1, 2.4, 2.11). */
export function pricingReadRoutes(deps: PricingReadDeps): readonly ApiRoute[] {
  const { reads, currentOptions } = deps
  return [
    route({
      method: 'GET',
      path: '/api/pricing',
      access: 'visitor',
      summary: 'What each served model costs, and the groups one may use',
      reads: ['channels'],
      answer: {
        data: z.array(priceAnswer),
        extra: {
          group_ratio: z.record(z.string(), z.number()),
          usable_group: z.record(z.string(), z.string()),
        },
      },
      example: {
        data: [EXAMPLE_PRICE],
        extra: { group_ratio: { default: 1 }, usable_group: { default: '默认分组' } },
      },
      handle: async ({ caller }) => {
        const options = currentOptions()
        const book = priceBookFrom(options, 0)
        const usable = usableGroups(options, caller?.group ?? VISITOR_GROUP)
        return {
          data: (await servedModels(reads)).map(({ model, groups }) =>
            priceEntity(book, model, groups),
          ),
          extra: { group_ratio: ratiosOf(book, usable), usable_group: Object.fromEntries(usable) },
        }
      },
    }),
    route({
      method: 'GET',
      path: '/api/pricing/completion_ratios',
      access: 'root',
      summary: 'Completion ratios that hold while a model has no entry of its own',
      reads: ['channels'],
      query: z.object({
        models: queryText().describe(
          'Further names, separated by commas; served and priced models are always there',
        ),
      }),
      answer: { data: z.record(z.string(), z.number()) },
      example: {
        query: { models: 'gpt-4o-mini,my-model' },
        data: { 'gpt-4o-mini': 4, 'my-model': 1 },
      },
      handle: async ({ query }) => {
        const book = priceBookFrom(currentOptions(), 0)
        const served = (await servedModels(reads)).map(({ model }) => model)
        const asked = query.models.split(',').filter((name) => name !== '')
        const names = new Set([...served, ...pricedModels(book), ...asked])
        return {
          data: Object.fromEntries(
            [...names].map((name) => [name, Number(fallbackCompletionRatio(book, name))]),
          ),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/api/group/',
      access: 'admin',
      summary: 'Names of all groups that have a ratio',
      answer: { data: z.array(z.string()) },
      example: { data: ['default', 'vip', 'svip'] },
      handle: async () => ({ data: [...currentOptions().table('GroupRatio').keys()] }),
    }),
    route({
      method: 'GET',
      path: '/api/user/groups',
      access: 'public',
      summary: 'Groups that a visitor may see, with their ratios',
      answer: { data: groupsAnswer },
      example: { data: EXAMPLE_GROUPS },
      handle: async () => ({ data: describeGroups(currentOptions(), VISITOR_GROUP) }),
    }),
    route({
      method: 'GET',
      path: '/api/user/self/groups',
      access: 'user',
      summary: 'Groups that the caller may use, with their ratios',
      answer: { data: groupsAnswer },
      example: { data: EXAMPLE_GROUPS },
      handle: async (request) => ({
        data: describeGroups(currentOptions(), callerOf(request).group),
      }),
    }),
    route({
      method: 'GET',
      path: '/api/user/models',
      access: 'user',
      summary: 'Models that the caller may call in any of their groups',
      reads: ['channels'],
      answer: { data: z.array(z.string()) },
      example: { data: ['gpt-4o', 'gpt-4o-mini'] },
      handle: async (request) => {
        const usable = usableGroups(currentOptions(), callerOf(request).group)
        return { data: await modelsServedTo(reads, [...usable.keys()]) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/models',
      access: 'user',
      summary: 'Built-in models by channel type',
      answer: { data: z.record(z.string(), z.array(z.string())) },
      example: { data: { '1': ['gpt-4o', 'gpt-4o-mini'] } },
      handle: async () => ({ data: deps.modelsByType }),
    }),
  ]
}

function describeGroups(options: OptionsView, ownGroup: string): object {
  const usable = usableGroups(options, ownGroup)
  return Object.fromEntries(
    [...options.table('GroupRatio')]
      .filter(([group]) => usable.has(group))
      .map(([group, ratio]) => [group, { ratio: Number(ratio), desc: usable.get(group) ?? '' }]),
  )
}

/** The models that the three options of the price editor name. */
const pricedModels = (book: PriceBook): readonly string[] =>
  [book.callPrices, book.modelRatios, book.completionRatios].flatMap((table) => [...table.keys()])

const ratiosOf = (book: PriceBook, usable: ReadonlyMap<string, string>): object =>
  Object.fromEntries(
    [...book.groupRatios.keys()]
      .filter((group) => usable.has(group))
      .map((group) => [group, Number(groupRatio(book, group))]),
  )

/** One row of the pricing page; `has_price` is false for a model that is refused because it has no price (decision 45). */
function priceEntity(book: PriceBook, model: string, groups: readonly string[]): object {
  const name = pricedName(model)
  const price = book.callPrices.get(model) ?? book.callPrices.get(name)
  const ratio = book.modelRatios.get(model) ?? book.modelRatios.get(name) ?? UNSET_MODEL_RATIO
  const isPerCall = price !== undefined
  return {
    model_name: model,
    quota_type: isPerCall ? 1 : 0,
    model_ratio: isPerCall ? 0 : Number(ratio),
    model_price: Number(price ?? 0),
    owner_by: '',
    completion_ratio: isPerCall ? 0 : Number(completionRatio(book, model)),
    enable_groups: groups,
    has_price: hasPrice(book, model),
  }
}
