import { type ApiReply, failure } from '../http-contract/api-route.ts'

/** 429 with the envelope and Retry-After (decision 15). */
export const tooManyRequests = (retryAfterSeconds: number): ApiReply => ({
  ...failure('请求次数过多，请稍后再试！', 429),
  headers: { 'Retry-After': String(retryAfterSeconds) },
})
