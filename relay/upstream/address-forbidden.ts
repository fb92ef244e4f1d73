/** Channels may not lead to this host: a metadata service, or inside where only the public internet is allowed. */
export class AddressForbidden extends Error {
  readonly code = 'ADDRESS_FORBIDDEN'
  readonly retryable = false
  constructor(host: string) {
    super(
      `channels may not lead to ${host}: addresses inside need fetch_setting.allow_private_channel_addresses, link-local and metadata addresses are never reached`,
    )
    this.name = 'AddressForbidden'
  }
}
