import { findPrice } from '@tollgate/domain/pricing/price-book.ts'
import type { BookPrice } from '@tollgate/domain/pricing/price.ts'
import { unpricedTerm } from '@tollgate/domain/pricing/price-factors.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import { type Refusal, refusal } from '../refusal.ts'

/**
 * The price of the request, frozen now (decision 39); a model without a price is refused (decision 45), as are terms
 * without a factor.
 */
export function price(
  { caller, request }: Admission,
  { directory }: RelayDeps,
): BookPrice | Refusal {
  const { model } = request
  const answer = findPrice(directory.settings.priceBook, {
    model,
    group: caller.group,
    acceptsUnsetRatio: caller.user.acceptsUnsetRatio,
    webSearchContext: request.searchContext,
  })
  if (answer.status === 'priced') {
    const term = request.terms === undefined ? null : unpricedTerm(answer.price, request.terms)
    return term === null ? answer.price : unpriced(term, model)
  }
  const whom = caller.user.role >= ROOT ? SET_IT : ASK_ADMIN
  const [chinese, english] = whom
  const text = `模型 ${model} 倍率或价格未配置，${chinese}；Model ${model} ratio or price not set, ${english}`
  return refusal(400, 'model_price_error', text, { param: 'model' })
}

function unpriced(term: keyof typeof MEMBERS, model: string): Refusal {
  const [param, said] = MEMBERS[term]
  const text = `${said} is not priced here for ${model}; leave it out, or ask for a factor in PriceFactors`
  return refusal(400, 'price_terms_unset', text, { param })
}

/** The member that asks for a term, and its name in the refusal. */
export const MEMBERS = {
  priority: ['service_tier', 'service_tier "priority"'],
  flex: ['service_tier', 'service_tier "flex"'],
  fast: ['speed', 'speed "fast"'],
  geo: ['inference_geo', 'inference_geo of one region'],
} as const

const ROOT = 100
const SET_IT = ['请设置或开始自用模式', 'please set or start self-use mode'] as const
const ASK_ADMIN = ['请联系管理员设置', 'please contact administrator to set'] as const
