import type { Plugin } from 'vite'

const TIMERS = /@zag-js\/utils\/dist\/timers\.mjs$/
const BY_FRAMES = `function setRafTimeout(fn, delayMs) {
  const timer = new Timer(({ deltaMs }) => {
    if (deltaMs >= delayMs) {
      fn();
      return false;
    }
  });
  timer.start();
  return () => timer.stop();
}`
const RESTING = `function setRafTimeout(fn, delayMs) {
  let frame = 0;
  const timer = setTimeout(() => {
    frame = requestAnimationFrame(() => fn());
  }, delayMs);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}`

/**
 * Lets the browser rest while a message is shown: Chakra's components wait by asking for each of the screen's frames,
 * sixty a second, how much time has passed. With a timer they ask for the one frame after it. A Chakra that is written
 * otherwise fails the build.
 */
export const restingTimers = (): Plugin => ({
  name: 'tollgate-resting-timers',
  apply: 'build',
  transform: {
    filter: { id: TIMERS },
    handler(code) {
      if (!code.includes(BY_FRAMES)) this.error('setRafTimeout of @zag-js/utils is another one.')
      return { code: code.replace(BY_FRAMES, RESTING), map: null }
    },
  },
})
