import type { Status } from './contract.ts'

/**
 * The public settings under the local keys of the seeds (section 3), where pages of the operator's own and older
 * consoles look for them. Texts, as everything there; what is empty leaves no key behind.
 */
export function localFlags(status: Status): Readonly<Record<string, string>> {
  return {
    status: JSON.stringify(status),
    system_name: status.system_name,
    logo: status.logo,
    footer_html: status.footer_html,
    docs_link: status.docs_link,
    quota_per_unit: String(status.quota_per_unit),
    display_in_currency: String(status.display_in_currency),
    enable_drawing: String(status.enable_drawing),
    enable_task: String(status.enable_task),
    enable_data_export: String(status.enable_data_export),
    mj_notify_enabled: String(status.mj_notify_enabled),
    data_export_default_time: status.data_export_default_time,
    default_collapse_sidebar: String(status.default_collapse_sidebar),
    chats: JSON.stringify(status.chats),
  }
}

/** Writes the flags; only what has changed, so that other tabs are not woken for nothing. */
export function storeLocalFlags(status: Status, storage: Storage): void {
  for (const [key, value] of Object.entries(localFlags(status))) {
    if (storage.getItem(key) === (value === '' ? null : value)) continue
    if (value === '') storage.removeItem(key)
    else storage.setItem(key, value)
  }
}
