import { failure } from '../http-contract/api-route.ts'

/** What a demo site answers to whatever would change something (decision 33). */
export const DEMO_SITE_REFUSAL = failure('本站仅作演示之用，无服务端！', 405)
