/** The values that decide where a channel's key is sent. */
export interface Leading {
  /** As domain/channel/destination.ts has it. */
  readonly destination: string
  readonly proxy: string
}

/** A change of where a channel leads, as a request asks for it. */
export interface Redirection {
  /** Where the key may go so far. */
  readonly from: Leading
  readonly to: Leading
  /** The key that came with the request; '' = none. */
  readonly key: string
  readonly callerRole: number
}

/**
 * The message that keeps a stored key from following its channel to another place; null when it may follow. Keys never
 * leave (decision 18): an administrator who could point a channel at a server of their own and test it would read its
 * key there. So the key must come with the new address, unless root, who set the keys, moves it.
 */
export function missingKeyProblem({ from, to, key, callerRole }: Redirection): string | null {
  if (key !== '' || callerRole >= ROOT || !isElsewhere(from, to)) return null
  return '更改渠道类型、API 地址（协议、域名或端口）或代理时，请在密钥栏中重新填写该渠道的密钥，或由超级管理员修改'
}

const ROOT = 100

const isElsewhere = (from: Leading, to: Leading): boolean =>
  from.destination !== to.destination || (to.proxy !== '' && to.proxy !== from.proxy)
