/** Executed or displayed by browsers. */
const inBrowsers =
  'javascript livescript mocha vbscript data file blob about filesystem view-source feed jar mhtml cid mid resource chrome edge devtools';

/**
 * Shared by many programs: mail, calls, other protocols, app stores, system handlers. A code could reach any of them.
 */
const elsewhere =
  'mailto tel sms smsto mms callto facetime facetime-audio sip sips xmpp im pres geo maps magnet urn news nntp irc ircs ' +
  'ws wss ftp ftps sftp tftp gopher telnet rlogin ssh git svn rsync smb cifs nfs afp dav ldap ldaps imap pop rtsp rtmp dict ' +
  'webcal calshow market itms itms-apps itms-services intent android-app content shell hcp help res search search-ms ' +
  'ms-msdt ms-settings ms-officecmd ms-word ms-excel ms-powerpoint ms-access ms-visio ms-its ms-help ms-cxh ms-search jnlp';

const taken = new Set([...inBrowsers.split(' '), ...elsewhere.split(' ')].map((scheme) => `${scheme}:`));

/**
 * RFC 8252 §7.1 recommends reverse domain names (`com.example.app:`), but one-word schemes are in use, for instance by
 * editors; so schemes with another meaning are refused, and the rest is accepted.
 */
export const isPrivateUse = (protocol: string): boolean => !taken.has(protocol);
