/** A notice did not reach its receiver; the message is for administrators and says no secret. */
export class DeliveryFailed extends Error {
  readonly code: 'WEBHOOK_REFUSED' | 'WEBHOOK_UNREACHABLE' | 'WEBHOOK_ADDRESS_UNFIT'
  readonly retryable: boolean
  constructor(code: DeliveryFailed['code'], message: string, retryable: boolean, cause?: unknown) {
    super(message, { cause })
    this.name = 'DeliveryFailed'
    this.code = code
    this.retryable = retryable
  }
}
