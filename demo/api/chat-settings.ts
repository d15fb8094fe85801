import type { ContextSettings } from '../context/context-settings.ts'
import type { Settings } from '../settings.ts'

/** What a Service Worker can't read itself: what the user chose lies in the page's Web Storage. */
export interface ChatSettings {
  readonly endpoint: Settings
  /** The model that the conversation is used with. */
  readonly model: string
  readonly context: ContextSettings
}

/** Said by the page before each chat; answered over the port that comes with it as soon as it holds. */
export interface ChatSettingsMessage {
  readonly type: 'chat-settings'
  readonly settings: ChatSettings
}

/** The database of this app's conversations. */
export const databaseName = 'keepsession-demo'
