/** The operator lets channels lead to the public internet only, and this host is not on it. */
export class AddressForbidden extends Error {
  readonly code = 'ADDRESS_FORBIDDEN'
  readonly retryable = false
  constructor(host: string) {
    super(
      `${host} is not on the public internet; switch on fetch_setting.allow_private_channel_addresses to allow it`,
    )
    this.name = 'AddressForbidden'
  }
}
