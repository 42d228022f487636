// RxJS subjects and operators: each `out.name = …` is asked; its value is a text that stands once in this file.
import { Subject, of, BehaviorSubject } from 'rxjs';
import { map, filter } from 'rxjs/operators';
globalThis.out = {};
const subject = new Subject();
subject.pipe(filter((x) => x.ok), map((x) => x.text)).subscribe((text) => { out.piped = text; });
subject.next({ ok: true, text: 'observed' });
of('of rx').subscribe((x) => { out.of = x; });
const b = new BehaviorSubject('behaviour'); out.behaviour = b.getValue();
console.log('asked here');
