import { failure } from '../http-contract/api-route.ts'

/** The answer of a demo site to any request that would change something (decision 33). */
export const DEMO_SITE_REFUSAL = failure('本站仅作演示之用，无服务端！', 405)
