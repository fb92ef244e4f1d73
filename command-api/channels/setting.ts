/** A channel's setting text in two parts: the one that may go into events, and its proxy, which is a secret. */
export interface SplitSetting {
  /** Undefined when no setting was given. Text that is no JSON object passes as it is, to be refused by the domain. */
  readonly setting: string | undefined
  /** Undefined = as it was; '' = none. */
  readonly proxy: string | undefined
}

/** Takes the member `proxy` out of a setting. A setting without it leaves the stored proxy; '' or null removes it. */
export function splitSetting(text: string | undefined): SplitSetting {
  if (text === undefined || text.trim() === '') return { setting: text, proxy: undefined }
  const setting = jsonObject(text)
  if (setting === null || !Object.hasOwn(setting, 'proxy'))
    return { setting: text, proxy: undefined }
  const { proxy, ...rest } = setting
  // A proxy that is no text stays in, so that the domain refuses it by name.
  if (proxy !== null && typeof proxy !== 'string') return { setting: text, proxy: undefined }
  return {
    setting: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest),
    proxy: proxy?.trim() ?? '',
  }
}

const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

/** '' = none, else an address by http, https or socks5; credentials are allowed, it is kept encrypted. */
export const isProxyAddress = (proxy: string): boolean =>
  proxy === '' || (URL.canParse(proxy) && PROXY_PROTOCOLS.has(new URL(proxy).protocol))

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}
