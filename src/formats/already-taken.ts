/** Why a file is skipped: another file of the same import holds the same session, and was imported before it. */
export const alreadyTaken = (id: string, path: string): string =>
  `session ${JSON.stringify(id)} was taken from ${path}; import this file by itself to add it there`
