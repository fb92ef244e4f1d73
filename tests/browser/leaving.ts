/** Run in the page: true when the browser would ask before it leaves. */
export const ASKS_ON_LEAVING = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"
