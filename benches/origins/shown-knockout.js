// What Knockout shows: its bindings run in a `with`, and observables keep their values behind a symbol.
// shown: title document.querySelector('h1').textContent
// shown: second document.querySelector('li:nth-of-type(2)').textContent
// shown: renamed document.querySelector('#name').textContent
import ko from 'knockout';
document.body.insertAdjacentHTML('beforeend', `<h1 data-bind="text: title"></h1>
<ul data-bind="foreach: items"><li data-bind="text: label"></li></ul>
<b id="name" data-bind="text: name"></b><button data-bind="click: rename">x</button>`);
function Model() {
  this.title = 'the title';
  this.items = ko.observableArray([{ label: 'the first label' }, { label: 'the second label' }]);
  this.name = ko.observable('the name');
  this.rename = () => this.name('the next name');
}
ko.applyBindings(new Model());
setTimeout(() => { document.querySelector('button').click(); setTimeout(() => console.log('asked here'), 50); }, 50);
