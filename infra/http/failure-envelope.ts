import {
  type CodedFailure,
  codedFailure,
} from '@tollgate/command-api/http-contract/failure-code.ts'

/** The refusal of a console request: the contract's text, and the code and values to render it from in any language. */
export interface FailureEnvelope extends CodedFailure {
  readonly success: false
  readonly message: string
}

export const failureEnvelope = (message: string): FailureEnvelope => ({
  success: false,
  message,
  ...codedFailure(message),
})
