/** A browser as far as its cookies go, behind a proxy of its own that says where it is. */
export class CookieJar {
  readonly #url: string
  readonly #ip: string
  readonly #cookies = new Map<string, string>()
  /** Set-Cookie headers as they came, newest last. */
  readonly received: string[] = []

  /** `ip` goes into X-Forwarded-For: limits count by it where the server believes 127.0.0.1. */
  constructor(url: string, ip: string) {
    this.#url = url
    this.#ip = ip
  }

  names(): readonly string[] {
    return [...this.#cookies.keys()]
  }

  has(name: string): boolean {
    return this.#cookies.has(name)
  }

  /** Cookies of one browser in another: what somebody does who has stolen or planted them. */
  put(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  get(name: string): string {
    return this.#cookies.get(name) ?? ''
  }

  /** Sends a request and keeps the cookies that it sets; redirects are not followed. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    headers.set('x-forwarded-for', this.#ip)
    const answer = await fetch(this.#url + path, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      this.received.push(line)
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=')
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }
}
