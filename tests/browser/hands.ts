import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** How somebody works a page. */
export type HandName = 'mouse' | 'keyboard' | 'phone'

export interface Hand {
  /** Buttons, links, tabs, entries of menus. */
  press(target: Locator): Promise<void>
  /** Replaces what a field holds. */
  type(field: Locator, text: string): Promise<void>
  /** Turns a switch over. */
  flip(control: Locator): Promise<void>
  /** DeliveryHandler the next value of a drop-down list that is not the present one. */
  choose(list: Locator, value: string): Promise<void>
}

/** A screen has fewer places where Tab stops. */
const STOPS_MAX = 900

export const handOf = (name: HandName, page: Page): Hand =>
  name === 'keyboard' ? keyboardOn(page) : pointerOn(page, name === 'phone')

/** Points with a mouse, or with a finger on a screen without one, and types. */
function pointerOn(page: Page, isFinger: boolean): Hand {
  const press = (target: Locator): Promise<void> => (isFinger ? target.tap() : target.click())
  return {
    press,
    flip: press,
    async type(field, text) {
      await press(field)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async choose(list, value) {
      await list.selectOption(value)
    },
  }
}

/** Never points: holds Tab while the target is far, and goes from stop to stop when it is near, as somebody does who sees it. */
function keyboardOn(page: Page): Hand {
  async function reach(target: Locator): Promise<void> {
    await target.waitFor()
    for (let stops = 0; stops < STOPS_MAX;) {
      const ahead = await stopsAhead(target)
      if (ahead === 0) return
      // Not all at once: what is passed may lead elsewhere than its place says.
      const held = Math.max(1, Math.floor(ahead * 0.75))
      await Promise.all(Array.from({ length: held }, () => page.keyboard.down('Tab')))
      await page.keyboard.up('Tab')
      stops += held
    }
    throw new Error(`Tab does not reach ${target.toString()} within ${STOPS_MAX} stops`)
  }
  return {
    async press(target) {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    async flip(control) {
      await reach(control)
      await page.keyboard.press('Space')
    },
    async type(field, text) {
      await reach(field)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async choose(list, value) {
      await reach(list)
      const wanted = await list.locator(`option[value="${value}"]`).textContent()
      await page.keyboard.type(wanted ?? value)
      expect(await list.inputValue()).toBe(value)
    },
  }
}

/** After how many stops of Tab the focus would come to a target, over the page's end if need be; 0 when it is there. */
const stopsAhead = (target: Locator): Promise<number> =>
  target.evaluate((element) => {
    const { activeElement, documentElement } = element.ownerDocument
    if (element === activeElement) return 0
    const places = 'a, button, input, select, textarea, [tabindex]'
    const stops = [...documentElement.querySelectorAll<typeof element>(places)].filter(
      (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility(),
    )
    const from = stops.findIndex((stop) => stop === activeElement)
    const to = stops.indexOf(element)
    if (to < 0) return 1
    return to > from ? to - from : to - from + stops.length
  })
