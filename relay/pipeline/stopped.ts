import { refusal } from '../refusal.ts'

/** Seconds until a stopped process is likely to be back, or another to be asked. */
const RETRY_AFTER_SECONDS = 5

/** To requests that come while the process stops, and those that it ends. */
export const STOPPED = refusal(
  503,
  'server_stopping',
  'this server is being stopped; send the request again in a few seconds',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
)
