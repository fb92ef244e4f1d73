/** A process that can die: after its n-th moment everything it calls fails, and has no effect any more. Without one it lives on. */
export class Life {
  #left: number
  isOver = false
  constructor(moments = Infinity) {
    this.#left = moments
  }

  /** Around each call that changes something there are two moments to die: before it, and before its answer. */
  crashable<Port extends object>(port: Port, counted: readonly (keyof Port)[]): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (name === 'readStream' || name === 'subscribeAll') return value.bind(target)
        return async (...call: readonly unknown[]) => {
          const isCounted = counted.includes(name as keyof Port)
          this.#live(isCounted)
          const answer: unknown = await value.apply(target, call)
          this.#live(isCounted)
          return answer
        }
      },
    })
  }

  #live(isCounted: boolean): void {
    if (isCounted && !this.isOver && --this.#left === 0) this.isOver = true
    if (this.isOver) throw new Error('this process is dead')
  }
}
