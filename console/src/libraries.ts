/** Imported by itself, so that the browser takes in what every screen stands on in a task of its own. */
export { createInstance } from 'i18next'
