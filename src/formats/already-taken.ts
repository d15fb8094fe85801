/**
 * The reason for skipping a file: another file of the same import contains the same session, and was imported before
 * it.
 */
export const alreadyTaken = (id: string, path: string): string =>
  `session ${JSON.stringify(id)} was imported from ${path}; import this file separately to add its entries`
