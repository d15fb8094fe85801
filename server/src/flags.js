/**
 * The options of the command line, besides `--help` and `--version`: parsing, the environment and the help all use this
 * list.
 *
 * @typedef {{ readonly name: 'config' | 'port' | 'address' | 'data' | 'secret' | 'postgres' | 'redis', readonly value: string, readonly standard: string, readonly says: string }} Flag
 * `standard`: what holds when it is not given
 *
 * @type {readonly Flag[]}
 */
export const FLAGS = [
  { name: 'port', value: 'number', standard: '4466', says: 'The port to listen on; 0 for any that is free.' },
  {
    name: 'address',
    value: 'address',
    standard: '127.0.0.1',
    says: 'The address to listen on; 0.0.0.0 accepts other machines.',
  },
  {
    name: 'data',
    value: 'folder',
    standard: './data',
    says: 'Where documents and attachments are stored, unless there is a database.',
  },
  { name: 'secret', value: 'text', standard: 'drawn at each start', says: 'One token that opens everything.' },
  {
    name: 'postgres',
    value: 'url',
    standard: 'none',
    says: 'A database instead of the folder, for several machines: postgres://…',
  },
  {
    name: 'redis',
    value: 'url',
    standard: 'none',
    says: 'Through it machines with one database announce to each other what they stored: redis://…',
  },
  {
    name: 'config',
    value: 'file',
    standard: 'none',
    says: 'A JSON file with these and all other options: tokens, limits, S3.',
  },
]

/** @param {Flag} flag */
export const variableOf = ({ name }) => `KEEPSESSION_SYNC_${name.toUpperCase()}`
