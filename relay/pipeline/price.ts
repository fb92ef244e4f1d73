import { findPrice } from '@tollgate/domain/pricing/price-book.ts'
import type { Price } from '@tollgate/domain/pricing/price.ts'
import type { Admission } from './admit.ts'
import type { RelayDeps } from './deps.ts'
import { type Refusal, refusal } from '../refusal.ts'

/** What the request will be priced by, frozen now (decision 39); a model without a price is refused (decision 45). */
export function price({ caller, request }: Admission, { directory }: RelayDeps): Price | Refusal {
  const { model } = request
  const answer = findPrice(directory.settings.priceBook, {
    model,
    group: caller.group,
    acceptsUnsetRatio: caller.user.acceptsUnsetRatio,
    webSearchContext: request.searchContext,
  })
  if (answer.status === 'priced') return answer.price
  const whom = caller.user.role >= ROOT ? SET_IT : ASK_ADMIN
  const [chinese, english] = whom
  const text = `模型 ${model} 倍率或价格未配置，${chinese}；Model ${model} ratio or price not set, ${english}`
  return refusal(400, 'model_price_error', text, { param: 'model' })
}

const ROOT = 100
const SET_IT = ['请设置或开始自用模式', 'please set or start self-use mode'] as const
const ASK_ADMIN = ['请联系管理员设置', 'please contact administrator to set'] as const
