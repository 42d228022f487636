% The questions of JavaTA as rules over the facts of JEL (Girgis and Jayaraman, JavaTA: A Logic-based Debugger for Java,
% sections 3 and 4), written anew for this project. They judge what the catalogue of `querypoint query` answers.
%
% The facts are what `querypoint log export --jel` writes. Of a call they use the order of events alone: which call is
% running they work out themselves, with a stack for each thread, and say where the facts name another.
%
% `judge(Facts, Questions)` reads a file of facts and one of questions, `ask(Number, Goal).`, and prints a line of JSON
% for each: its number and its rows. A question fails if it has no rows.

:- module(javata, [judge/2]).
:- use_module(library(http/json)).
:- use_module(library(assoc)).

% What the stacks say: the call around a call, how deep it is, the call that is running at an event, the end of a call.
:- dynamic caller/2, depth/2, running/2, ended/2, problem/1.
% written(Object, Thread, Seq, Write): the writes of an object, Write is set(Key, Value), or all(Total, Entries) of what
% a collection holds.
:- dynamic written/4.

:- multifile user:method_call/8, user:return/5, user:exception/4, user:native/7, user:throw/5, user:catch/5,
    user:uncaught/3,
    user:write/7, user:contents/7, user:assign/7, user:new/6, user:branch/5, user:step/4, user:task/3, user:task_end/2,
    user:suspend/3, user:resume/3, user:settle/6, user:gap/2.

judge(Facts, Questions) :-
    retractall(caller(_, _)), retractall(depth(_, _)), retractall(running(_, _)), retractall(ended(_, _)),
    retractall(problem(_)), retractall(written(_, _, _, _)),
    load_files(user:Facts, [silent(true)]),
    follow,
    forall(write_of(Object, Thread, Seq, Write), assertz(written(Object, Thread, Seq, Write))),
    read_file_to_terms(Questions, Terms, [encoding(utf8)]),
    forall(member(ask(Number, Goal), Terms), answer(Number, Goal)),
    unload_file(Facts).

answer(Number, Goal) :-
    findall(Row, row(Goal, Row), Rows),
    json_write_dict(current_output, _{ask: Number, rows: Rows}, [width(0)]),
    nl.

% --- Which call is running --------------------------------------------------------------------------------------------

% Follows the events in their order, with a stack of calls for each thread, and those that are suspended.
follow :-
    findall(Seq-Order-Event, sorting(Seq, Order, Event), Events),
    sort(0, @=<, Events, Sorted),
    empty_assoc(Empty),
    follow(Sorted, Empty).

% Of one number the exceptions come before the handler that ends them, the newest call first.
sorting(Seq, 1-0, begin(Call, Thread, Caller)) :- user:method_call(Seq, Thread, Caller, Call, _, _, _, _).
sorting(Seq, 1-0, end(Call, Thread)) :- user:return(Seq, Thread, Call, _, _).
sorting(Seq, 0-Newest, end(Call, Thread)) :-
    user:exception(Seq, Thread, Call, _), (integer(Call) -> Newest is -Call ; Newest = 0).
sorting(Seq, 1-0, empty(Thread)) :- user:task(Seq, Thread, _).
sorting(Seq, 1-0, empty(Thread)) :- user:task_end(Seq, Thread).
sorting(Seq, 1-0, empty(Thread)) :- user:gap(Seq, Thread).
sorting(Seq, 1-0, leave(Call, Thread)) :- user:suspend(Seq, Thread, Call).
sorting(Seq, 1-0, enter(Call, Thread)) :- user:resume(Seq, Thread, Call).
sorting(Seq, 1-0, within(Call, Thread)) :- within(Seq, Thread, Call).

% Events that are in a call.
within(Seq, Thread, Call) :- user:throw(Seq, Thread, Call, _, _).
within(Seq, Thread, Call) :- user:catch(Seq, Thread, Call, _, _).
within(Seq, Thread, Call) :- user:write(Seq, Thread, Call, _, _, _, _).
within(Seq, Thread, Call) :- user:contents(Seq, Thread, Call, _, _, _, _).
within(Seq, Thread, Call) :- user:assign(Seq, Thread, Call, _, _, _, _).
within(Seq, Thread, Call) :- user:new(Seq, Thread, Call, _, _, _).
within(Seq, Thread, Call) :- user:branch(Seq, Thread, Call, _, _).
within(Seq, Thread, Call) :- user:step(Seq, Thread, Call, _).
within(Seq, Thread, Call) :- user:native(Seq, Thread, Call, _, _, _, _).
within(Seq, Thread, Call) :- user:settle(Seq, Thread, Call, _, _, _).

follow([], _).
follow([Seq-_-Event|Events], Stacks) :-
    arg_thread(Event, Thread),
    ( get_assoc(Thread, Stacks, Stack) -> true ; Stack = [] ),
    ( step(Event, Seq, Stack, Next) -> true
    ; assertz(problem(event(Seq, Event, Stack))), Next = Stack
    ),
    put_assoc(Thread, Stacks, Next, More),
    follow(Events, More).

arg_thread(begin(_, Thread, _), Thread).
arg_thread(end(_, Thread), Thread).
arg_thread(empty(Thread), Thread).
arg_thread(leave(_, Thread), Thread).
arg_thread(enter(_, Thread), Thread).
arg_thread(within(_, Thread), Thread).

% step(Event, Seq, Stack, NextStack): fails where the facts name another call than the one that is running.
step(begin(Call, _, Named), Seq, Stack, [Call|Stack]) :-
    top(Stack, Caller),
    ( depth(Caller, Above) -> Depth is Above + 1 ; Depth = 0 ),
    assertz(caller(Call, Caller)), assertz(depth(Call, Depth)), assertz(running(Seq, Call)),
    Named == Caller.
step(end(none, _), _, Stack, Stack) :- !.
step(end(Call, _), Seq, [Call|Stack], Stack) :-
    assertz(running(Seq, Call)), assertz(ended(Call, Seq)).
step(empty(_), Seq, _, []) :- assertz(running(Seq, none)).
step(leave(Call, _), Seq, [Call|Stack], Stack) :- integer(Call), !, assertz(running(Seq, Call)).
step(leave(Named, _), Seq, Stack, Stack) :- top(Stack, Named), assertz(running(Seq, Named)).
step(enter(Call, _), Seq, Stack, Next) :-
    assertz(running(Seq, Call)),
    ( integer(Call), \+ memberchk(Call, Stack), \+ ended(Call, _) -> Next = [Call|Stack]
    ; top(Stack, Call), Next = Stack
    ).
step(within(Named, _), Seq, Stack, Stack) :- top(Stack, Call), assertz(running(Seq, Call)), Named == Call.

top([], none).
top([Call|_], Call).

% --- The questions ----------------------------------------------------------------------------------------------------

% Where the facts contradict themselves: there is no row.
row(problems, Text) :- problem(Problem), term_string(Problem, Text).

% The chain of calls that led to an event, the newest first, with what each was passed (section 4, call chain).
row(call_chain(Seq), _{seq: Call, function: Function, arguments: Shown}) :-
    running(Seq, First),
    chain(First, Call),
    user:method_call(Call, _, _, _, Function, _, Arguments, _),
    shown_all(Arguments, Shown).

% In which call an event is, and at which line (section 4, where).
row(where(Seq), _{seq: Seq, function: Function, line: Line}) :-
    running(Seq, Call),
    ( user:method_call(Call, _, _, _, Function, _, _, _) -> true ; Function = null ),
    ( place(Seq, at(_, Line)) -> true ; Line = null ).
row(thrown, _{seq: Seq, value: Shown}) :- user:throw(Seq, _, _, Value, _), shown(Value, Shown).

% What an object holds just before an event: its fields, each as it was written last (section 4, object state).
row(object_state(Seq, Thread, Object), _{key: Name, seq: At, value: Shown}) :-
    state(Seq, Thread, Object, Fields),
    member(Key-(At-Value), Fields),
    key_text(Key, Name),
    shown(Value, Shown).

% What the same call had called before an event, and what it called afterwards (section 4, called before).
row(called_before(Seq), _{seq: Call}) :- beside(Seq, Call), Call < Seq.
row(called_after(Seq), _{seq: Call}) :- beside(Seq, Call), Call > Seq.

% All values that a field of an object ever had (section 4, field history).
row(field_history(Thread, Object, Key), _{seq: Seq, value: Shown}) :-
    findall(Seq-Told-Value, value_of(Thread, Object, Key, Seq, Told, Value), Writes),
    sort(0, @=<, Writes, Sorted),
    changes(Sorted, nothing, Changes),
    member(Seq-Value, Changes),
    shown(Value, Shown).

% The calls of a function, by its name, and what they returned (method histories).
row(arguments_of(Function), _{seq: Seq, arguments: Shown}) :-
    user:method_call(Seq, _, _, _, Function, _, Arguments, _), shown_all(Arguments, Shown).
row(returns_of(Function), _{seq: Seq, value: Shown}) :-
    findall(Seq-Value, end_of(Function, Seq, Value), Ends),
    keysort(Ends, Sorted),
    member(Seq-Value, Sorted),
    ( Value = returned(Returned) -> shown(Returned, Shown) ; Shown = null ).

% What a local variable holds just before an event: what was assigned last in its scope.
row(local(Seq, Thread, At, Name), _{seq: Last, value: Shown}) :-
    ( user:assign(At, Thread, _, Scope, Name, _, _)
    -> findall(Other-Value, (user:assign(Other, Thread, _, Scope, Name, Value, _), Other < Seq), Writes),
       keysort(Writes, Sorted), last(Sorted, Last-Written), shown(Written, Shown)
    ; user:method_call(At, Thread, _, _, _, _, Arguments, _), is_list(Arguments)
    -> Last = At, shown_all(Arguments, Shown)
    ).

% The calls below one, each after the one that made it, with how deep they are (call tree).
row(call_tree(Root), _{seq: Call, depth: Depth}) :-
    depth(Root, Base),
    below(Root, Call),
    depth(Call, Own), Depth is Own - Base.

% All objects that were made of a class.
row(instances(Class), _{seq: Seq}) :- user:new(Seq, _, _, _, Class, _).

% The calls that have begun and not ended just before an event.
row(unfinished(Seq), _{seq: Call}) :-
    caller(Call, _), Call < Seq, \+ ( ended(Call, End), End < Seq ).

% Who was let in (section 4, the login scenario): somebody typed a name, the password was checked, and the session of
% that name was opened, in this order.
row(login(User), [Typed, Checked, Opened]) :-
    user:write(Typed, Thread, _, Session, name, User, _),
    user:method_call(Checked, Thread, _, _, check, _, [User|_], _), Checked > Typed,
    \+ ( user:method_call(Sooner, Thread, _, _, check, _, [User|_], _), Sooner > Typed, Sooner < Checked ),
    user:write(Opened, Thread, _, Session, isOpen, true, _), Opened > Checked,
    \+ ( user:write(Other, Thread, _, Session, isOpen, true, _), Other > Checked, Other < Opened ).

chain(Call, Call) :- integer(Call).
chain(Call, Above) :- integer(Call), caller(Call, Caller), chain(Caller, Above).

below(Call, Call).
below(Call, Below) :- caller(Own, Call), below(Own, Below).

% A call with the caller that an event is in: of a call the one around it. What nothing called is beside what nothing
% called in its thread.
beside(Seq, Call) :-
    ( user:method_call(Seq, _, _, _, _, _, _, _) -> caller(Seq, Caller) ; running(Seq, Caller) ),
    ( integer(Caller) -> caller(Call, Caller)
    ; thread(Seq, Thread), caller(Call, none), user:method_call(Call, Thread, _, _, _, _, _, _)
    ).

thread(Seq, Thread) :- user:method_call(Seq, Thread, _, _, _, _, _, _), !.
thread(Seq, Thread) :- within(Seq, Thread, _), !.
thread(Seq, Thread) :- ( user:task(Seq, Thread, _) ; user:task_end(Seq, Thread) ), !.
thread(Seq, Thread) :- ( user:return(Seq, Thread, _, _, _) ; user:exception(Seq, Thread, _, _) ), !.
thread(Seq, Thread) :- ( user:suspend(Seq, Thread, _) ; user:resume(Seq, Thread, _) ), !.

end_of(Function, Seq, returned(Value)) :- user:return(Seq, _, _, Function, Value).
end_of(Function, Seq, threw) :- user:exception(Seq, _, _, Function).

place(Seq, Place) :- user:method_call(Seq, _, _, _, _, _, _, Place), Place \== none.
place(Seq, Place) :- user:write(Seq, _, _, _, _, _, Place).
place(Seq, Place) :- user:assign(Seq, _, _, _, _, _, Place).
place(Seq, Place) :- user:new(Seq, _, _, _, _, Place).
place(Seq, Place) :- user:branch(Seq, _, _, _, Place).
place(Seq, Place) :- user:step(Seq, _, _, Place).
place(Seq, Place) :- user:throw(Seq, _, _, _, Place).
place(Seq, Place) :- user:catch(Seq, _, _, _, Place).

% --- Objects ----------------------------------------------------------------------------------------------------------

% is_of(Value, Number): a value is this object.
is_of(object(Number, _), Number).
is_of(function(Number, _), Number).

write_of(Object, Thread, Seq, set(Key, Value)) :-
    user:write(Seq, Thread, _, Owner, Key, Value, _), is_of(Owner, Object).
write_of(Object, Thread, Seq, all(Total, Entries)) :-
    user:contents(Seq, Thread, _, Owner, Total, Entries, _), is_of(Owner, Object).

% state(Seq, Thread, Object, Fields): Key-(Seq-Value) for each field.
state(Before, Thread, Object, Fields) :-
    findall(Seq-Write, (written(Object, Thread, Seq, Write), Seq < Before), Writes),
    keysort(Writes, Sorted),
    empty_assoc(Empty),
    foldl(write_field, Sorted, Empty, State),
    assoc_to_list(State, Fields).

write_field(Seq-set(Key, Value), State, Next) :-
    ( Key == length, integer(Value) -> cut_elements(Value, State, Cut) ; Cut = State ),
    set_field(Key, Seq, Value, Cut, Next).
% Elements and entries that are not told are gone, but for those behind the first hundred.
write_field(Seq-all(Total, Entries), State, Next) :-
    length(Entries, Told),
    assoc_to_list(State, Fields),
    exclude(replaced(Total, Told), Fields, Kept),
    list_to_assoc(Kept, Rest),
    foldl(tell_field(Seq), Entries, Rest, Next).

tell_field(Seq, Key-Value, State, Next) :- set_field(Key, Seq, Value, State, Next).

set_field(Key, _, absent, State, Next) :- !, ( del_assoc(Key, State, _, Next) -> true ; Next = State ).
set_field(Key, Seq, Value, State, Next) :- put_assoc(Key, State, Seq-Value, Next).

replaced(_, _, entry(_)-_) :- !.
replaced(Total, Told, Key-_) :- index(Key, Index), \+ ( Index >= Told, Index < Total ).

cut_elements(Length, State, Next) :-
    assoc_to_list(State, Fields),
    exclude(behind(Length), Fields, Kept),
    list_to_assoc(Kept, Next).

behind(Length, Key-_) :- index(Key, Index), Index >= Length.

index(Key, Index) :- atom(Key), atom_number(Key, Index), integer(Index), Index >= 0, atom_number(Key, Index).

% value_of(Thread, Object, Key, Seq, Told, Value): it was written, or told with all that a collection holds.
value_of(Thread, Object, Key, Seq, written, Value) :- written(Object, Thread, Seq, set(Key, Value)).
value_of(Thread, Object, Key, Seq, told, Value) :-
    written(Object, Thread, Seq, all(_, Entries)), member(Key-Value, Entries).

% What is told again is no change.
changes([], _, []).
changes([_-told-Value|Writes], Old, Changes) :- Value == Old, !, changes(Writes, Old, Changes).
changes([Seq-_-Value|Writes], _, [Seq-Value|Changes]) :- changes(Writes, Value, Changes).

% --- How values are printed -------------------------------------------------------------------------------------------

shown_all(unknown, null) :- !.
shown_all(Values, Shown) :- maplist(shown, Values, Shown).

shown(Value, _{string: Value}) :- string(Value), !.
shown(text(Start, _), _{start: Start}) :- !.
shown(Value, _{number: Text}) :- number(Value), !, format(string(Text), "~w", [Value]).
shown(object(Number, Class), _{object: Number, class: Class}) :- !.
shown(function(_, Name), _{function: Name}) :- !.
shown(symbol(_), _{symbol: true}) :- !.
shown(bigint(Value), _{bigint: Text}) :- !, term_string(Value, Text).
shown(Value, _{word: Value}).

key_text(symbol(_, Description), Text) :- !, format(atom(Text), "[~w]", [Description]).
key_text(entry(Key), Text) :- !, format(atom(Text), "[~w]", [Key]).
key_text(Key, Key).
