import type { BlobReader } from './attachments/attached-file.ts'
import { localModel } from './local-model.ts'
import type { Model } from './model.ts'
import { openaiModel } from './openai-model.ts'
import { readSettings, type Settings } from './settings.ts'
import { readLocal, writeLocal } from './ui/local.ts'

/** What stands for the model of this app; any other choice is the name of a model of the endpoint. */
export const offlineModel = ''

/**
 * The model of a conversation: the one it was last used with, else the one that was chosen last anywhere, if there
 * still is such a model.
 */
export function modelOf(key: string | undefined, { models }: Settings = readSettings()): string {
  const remembered = [key && readLocal(`model:${key}`), readLocal('default-model')]
  return (
    remembered.find((name) => name === offlineModel || (name !== undefined && models.includes(name))) ?? offlineModel
  )
}

/** Remembers which model a conversation is used with. */
export const keepModel = (key: string, name: string): void => writeLocal(`model:${key}`, name)

/** Remembers a model for a conversation and for those that begin after it. */
export function chooseModel(key: string, name: string): void {
  keepModel(key, name)
  writeLocal('default-model', name)
}

/** @param blobs - where the files are that messages name */
export function openModel(name: string, blobs: BlobReader, settings: Settings = readSettings()): Model {
  return name === offlineModel ? localModel : openaiModel({ ...settings, model: name }, blobs)
}
